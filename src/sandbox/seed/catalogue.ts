import { numbered, type RowOf, slugOf } from '../state/collections.ts';
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

/** Products in the order of their ids. `fields`: what a product has besides its title. */
function productsOf<Text extends { readonly title: string }, Fields extends object>(
  list: readonly Text[],
  kind: string,
  fields: (text: Text) => Fields,
) {
  const rows = list.map((text) => ({ title: text.title, slug: slugOf(text.title, kind), ...fields(text) }));
  return numbered(rows);
}

/** The same in every academy: only people, orders and posts differ. Fields have the API's names: an update is an assignment. */
export function seedCatalogue(now: number) {
  return {
    courses: productsOf(texts.courses, 'course', (text) => courseFields(text, now)),
    bundles: productsOf(texts.bundles, 'bundle', bundleFields),
    digitalProducts: productsOf(texts.digitalProducts, 'download', ({ description, price, isDraft = false }) => {
      return { description, is_published: !isDraft, price, hidden: false, product_type: 'download' };
    }),
    projects: productsOf(texts.projects, 'project', ({ description, course }) => ({ description, course_id: course })),
    roles: numbered(texts.roleNames.map((name) => ({ name }))),
  };
}

export type Catalogue = ReturnType<typeof seedCatalogue>;
export type CourseRecord = RowOf<Catalogue['courses']>;
export type BundleRecord = RowOf<Catalogue['bundles']>;
export type DigitalProductRecord = RowOf<Catalogue['digitalProducts']>;
export type ProjectRecord = RowOf<Catalogue['projects']>;

const day = 86_400_000;

function courseFields(text: CourseText, now: number) {
  const isChallenge = text.isChallenge === true;
  const isDraft = text.sale === 'draft';
  return {
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

function bundleFields(text: (typeof texts.bundles)[number]) {
  const { description, price, isDraft = false, courses, digitalProducts } = text;
  const isGranted = price === '0.00';
  return {
    description,
    is_published: !isDraft,
    price,
    hidden: isGranted || isDraft,
    preview_page: !isDraft,
    allow_purchase_from_landing: !isGranted && !isDraft,
    join_button_text: 'Get the bundle',
    course_ids: courses,
    digital_product_ids: digitalProducts,
  };
}
