import type { Catalogue, CourseRecord } from '../state/catalogue.ts';
import { Records, slugOf } from '../state/collections.ts';
import { type CourseText, lessonTitles, texts } from './texts.ts';

const manyLessons = 35;

/** The pitch. The largest courses add a syllabus and answers to questions: over 4,000 characters. */
function courseDescription({ pitch, modules }: CourseText): string {
  const parts = modules.map(({ title, lessons }) => ({ title, lessons: lessonTitles(lessons) }));
  const count = parts.reduce((sum, { lessons }) => sum + lessons.length, 0);
  const contents = `${count} lessons in ${parts.length} modules: ${parts.map(({ title }) => title).join('; ')}.`;
  if (count < manyLessons) return `${pitch}\n\n${contents}`;
  const syllabus = parts.map(({ title, lessons }) => [title, ...lessons.map((lesson) => `- ${lesson}`)].join('\n'));
  return [pitch, 'What is inside', ...syllabus, ...texts.questionsAndAnswers].join('\n\n');
}

/** Products in the order of their ids. `fields`: what a product has besides its texts. */
function productsOf<Text extends { readonly title: string; readonly description: string }, Fields extends object>(
  list: readonly Text[],
  kind: string,
  fields: (text: Text) => Fields,
) {
  const rows = list.map((text, index) => {
    const { title, description } = text;
    return { id: index + 1, title, slug: slugOf(title, `${kind}-${index + 1}`), description, ...fields(text) };
  });
  return new Records(rows);
}

/** All products. Identical in every academy: only people, orders and posts differ by seed. */
export function seedCatalogue(now: number): Catalogue {
  return {
    courses: new Records(texts.courses.map((text) => courseOf(text, now))),
    bundles: productsOf(texts.bundles, 'bundle', bundleFields),
    digitalProducts: productsOf(texts.digitalProducts, 'download', ({ price, isDraft = false }) => ({
      is_published: !isDraft,
      price,
      hidden: false,
      product_type: 'download',
    })),
    projects: productsOf(texts.projects, 'project', ({ course }) => ({ course_id: course })),
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

function bundleFields({ price, isDraft = false, courses, digitalProducts }: (typeof texts.bundles)[number]) {
  return {
    is_published: !isDraft,
    price,
    hidden: price === '0.00' || isDraft,
    preview_page: !isDraft,
    allow_purchase_from_landing: price !== '0.00' && !isDraft,
    join_button_text: 'Get the bundle',
    course_ids: courses,
    digital_product_ids: digitalProducts,
  };
}
