import type { BundleRecord, Catalogue, CourseRecord, DigitalProductRecord, ProjectRecord } from '../state/catalogue.ts';
import { Records, slugOf } from '../state/collections.ts';
import { type CourseText, lessonTitles, texts } from './texts.ts';

const manyLessons = 35;

/** The pitch. The largest courses add a syllabus and answers to questions: over 4,000 characters. */
function courseDescription(text: CourseText): string {
  const count = text.modules.reduce((sum, { lessons }) => sum + lessonTitles(lessons).length, 0);
  if (count < manyLessons) return `${text.pitch}\n\n${contents(text, count)}`;
  return [text.pitch, 'What is inside', ...text.modules.map(syllabus), ...texts.questionsAndAnswers].join('\n\n');
}

function contents({ modules }: CourseText, count: number): string {
  return `${count} lessons in ${modules.length} modules: ${modules.map(({ title }) => title).join('; ')}.`;
}

function syllabus({ title, lessons }: CourseText['modules'][number]): string {
  return [title, ...lessonTitles(lessons).map((lesson) => `- ${lesson}`)].join('\n');
}

/** All products. Identical in every academy: only people, orders and posts differ by seed. */
export function seedCatalogue(now: number): Catalogue {
  const courses = new Records(texts.courses.map((text) => courseOf(text, now)));
  return {
    courses,
    bundles: seedBundles(),
    digitalProducts: seedDigitalProducts(),
    projects: seedProjects(),
    roles: new Records(texts.roleNames.map((name, index) => ({ id: index + 1, name }))),
  };
}

const day = 86_400_000;

function courseOf(text: CourseText, now: number): CourseRecord {
  const isChallenge = text.isChallenge === true;
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

function seedBundles(): Records<BundleRecord> {
  return new Records(
    texts.bundles.map((text, index) => ({
      id: index + 1,
      title: text.title,
      slug: slugOf(text.title, `bundle-${index + 1}`),
      description: text.description,
      is_published: text.isDraft !== true,
      price: text.price,
      hidden: text.price === '0.00' || text.isDraft === true,
      preview_page: text.isDraft !== true,
      allow_purchase_from_landing: text.price !== '0.00' && text.isDraft !== true,
      join_button_text: 'Get the bundle',
      course_ids: text.courses,
      digital_product_ids: text.digitalProducts,
    })),
  );
}

function seedDigitalProducts(): Records<DigitalProductRecord> {
  return new Records(
    texts.digitalProducts.map((text, index) => ({
      id: index + 1,
      title: text.title,
      slug: slugOf(text.title, `download-${index + 1}`),
      description: text.description,
      is_published: !('isDraft' in text),
      price: text.price,
      hidden: false,
      product_type: 'download',
    })),
  );
}

function seedProjects(): Records<ProjectRecord> {
  return new Records(
    texts.projects.map(({ title, description, course }, index) => ({
      id: index + 1,
      title,
      slug: slugOf(title, `project-${index + 1}`),
      description,
      course_id: course,
    })),
  );
}
