import type { Catalogue, CourseRecord } from '../state/catalogue.ts';
import { Records } from '../state/records.ts';
import { slugOf } from '../state/slug.ts';
import { courseDescription } from './descriptions.ts';
import { seedBundles, seedDigitalProducts, seedProjects } from './products.ts';
import { businessCourses } from './texts/business-courses.ts';
import { challenges } from './texts/challenges.ts';
import type { CourseText } from './texts/course-text.ts';
import { creativeCourses } from './texts/creative-courses.ts';
import { roleNames } from './texts/products.ts';
import { technicalCourses } from './texts/technical-courses.ts';

/** Courses and challenges in the order of their ids. */
export const courseTexts: readonly CourseText[] = [
  ...businessCourses,
  ...creativeCourses,
  ...technicalCourses,
  ...challenges,
].sort((a, b) => a.id - b.id);

/** All products. Identical in every academy: only people, orders and posts differ by seed. */
export function seedCatalogue(now: number): Catalogue {
  const courses = new Records(courseTexts.map((text) => courseOf(text, now)));
  return {
    courses,
    bundles: seedBundles(),
    digitalProducts: seedDigitalProducts(),
    projects: seedProjects(),
    roles: new Records(roleNames.map((name, index) => ({ id: index + 1, name }))),
  };
}

const day = 86_400_000;

function courseOf(text: CourseText, now: number): CourseRecord {
  const isChallenge = challenges.includes(text);
  const isDraft = text.sale === 'draft';
  return {
    id: text.id,
    title: text.title,
    slug: slugOf(text.title, `course-${text.id}`),
    description: courseDescription(text),
    is_challenge: isChallenge,
    sold_separately: text.sale === undefined,
    is_published: !isDraft,
    price: text.price,
    hidden: isDraft,
    launch_date: isDraft ? new Date(now + 30 * day).toISOString().slice(0, 10) : null,
    days_of_access: text.daysOfAccess ?? null,
    preview_page: !isDraft,
    allow_purchase_from_landing: text.sale === undefined,
    join_button_text: isChallenge ? 'Join the challenge' : 'Enroll now',
  };
}
