import type { BundleRecord, Catalogue, CourseRecord, DigitalProductRecord, ProjectRecord } from '../state/catalogue.ts';
import { Records } from '../state/records.ts';
import { slugOf } from '../state/slug.ts';
import { bundleTexts } from './texts/bundles.ts';
import { businessCourses } from './texts/business-courses.ts';
import { type CourseText, digitalProductTexts, lessonTitles, projectTexts, roleNames } from './texts/products.ts';
import { technicalCourses } from './texts/technical-courses.ts';

const creativeCourses: readonly CourseText[] = [
  {
    id: 5,
    title: 'Photography: Light and Lens',
    price: '99.00',
    demand: 8,
    pitch: 'See the light before you lift the camera. Any camera will do, the one in your pocket too.',
    modules: [
      ['Seeing', 'Where does the light come from? | Hard and soft | Colour of the hour | Shadows as shapes'],
      [
        'The camera',
        'Aperture, with a window | Time, with running water | Sensitivity and noise | Focus on purpose | Reading a histogram',
      ],
      ['Composition', 'One subject | Lines that lead | Empty space | Moving your feet'],
      ['People', 'Window portraits | Hands and eyes | Asking strangers | Groups that look alive'],
      ['Places', 'Streets after rain | Rooms as they are | Landscapes with a foreground | Night without a tripod'],
      ['Afterwards', 'Choosing ten of three hundred | Crop and straighten | Gentle colour | Printing one picture'],
    ],
    ungrouped: 'Welcome | Weekly assignment sheet | Further reading',
  },
  {
    id: 6,
    title: 'Watercolour Basics',
    price: '45.00',
    demand: 3,
    pitch: 'Water, three colours and patience. Small pictures that you will want to keep.',
    modules: [
      ['Material', 'Three colours are enough | Paper matters most | Brushes and water'],
      ['First washes', 'A flat wash | A wash that fades | Wet into wet | Edges, hard and lost'],
      ['Simple things', 'A pear | A glass of water | A jar against the light | Leaves'],
      ['A whole picture', 'Sketch lightly | From light to dark | Saving the white | Knowing when to stop'],
    ],
    ungrouped: 'Colour chart to print',
  },
  {
    id: 8,
    title: 'Bread at Home',
    price: '39.00',
    demand: 4,
    pitch: 'Flour, water, salt and time. From the first loaf to your own sourdough.',
    modules: [
      ['The first loaf', 'What flour does | Mixing by hand | Waiting | Baking in a pot'],
      ['Sourdough', 'Starting a starter | Feeding it | Reading the dough | Shaping | Scoring'],
      ['Variations', 'Rye | Seeds and soakers | Soft rolls | Flatbread in a pan'],
      ['When it fails', 'Too dense | Too sour | It sticks to everything'],
    ],
    ungrouped: 'Baker’s percentages | Timetable for working people',
  },
  {
    id: 10,
    title: 'Interface Design Foundations',
    price: '109.00',
    demand: 0,
    sale: 'bundles',
    pitch: 'Layout, type and colour for people who build screens.',
    modules: [
      ['Looking closely', 'What is in the way? | A walk through three forms | Drawing what you see'],
      ['Layout', 'A grid you can forget | Spacing in steps | Alignment | Small screens first'],
      ['Type and colour', 'Two sizes, two weights | Line length | Contrast for everybody | A palette of five'],
      ['Behaviour', 'Buttons that say what they do | Empty, loading, broken | Errors that help | Keyboards'],
      ['Testing', 'Five people, one task | Watching without helping | What to change first'],
    ],
    ungrouped: 'Checklist: accessible forms',
  },
];

const challenges: readonly CourseText[] = [
  {
    id: 13,
    title: 'Thirty Days of Drawing',
    price: '29.00',
    demand: 4,
    daysOfAccess: 60,
    pitch: 'One small drawing a day, ten minutes each. Bad days count.',
    modules: [
      ['Week 1: lines', 'A cup | Your shoe | A chair | Keys | A leaf | Your other hand | Something broken'],
      ['Week 2: shapes', 'Three books | A bottle | Bread | A lamp | A bag | Scissors | What is in your pocket'],
      ['Week 3: light', 'An egg | A window | A candle | A fold of cloth | Rain | A shadow | A face in a spoon'],
      ['Week 4: places', 'A door | The kitchen | A tree | A street corner | A bus stop | A roof | The view from bed'],
    ],
    ungrouped: 'Rules of the challenge | Day 29: from memory | Day 30: the first one again',
  },
  {
    id: 14,
    title: 'Seven-Day Writing Sprint',
    price: '19.00',
    demand: 3,
    daysOfAccess: 30,
    pitch: 'A finished text in a week: one step in the morning, one in the evening.',
    modules: [
      [
        'Find it',
        'Day 1, morning: a list | Day 1, evening: choose | Day 2, morning: questions | Day 2, evening: an outline',
      ],
      [
        'Write it',
        'Day 3, morning: the middle | Day 3, evening: go on | Day 4, morning: the end | Day 4, evening: the start | Day 5: a day off',
      ],
      [
        'Finish it',
        'Day 6, morning: read aloud | Day 6, evening: cut | Day 7, morning: a title | Day 7, evening: send it',
      ],
    ],
    ungrouped: 'Before you start | Badges and points',
  },
  {
    id: 15,
    title: 'Inbox Reset Week',
    price: '15.00',
    demand: 0,
    sale: 'draft',
    daysOfAccess: 14,
    pitch: 'Five evenings, one empty inbox.',
    modules: [
      ['Clear', 'Count first | The great archive | Newsletters, goodbye | Folders you will not miss | Three labels'],
      ['Answer', 'Two-minute answers | Saying later | Saying no | Templates | A closing hour'],
      ['Keep it', 'Rules | Mornings without mail | Holidays | Teaching the others'],
    ],
    ungrouped: 'How the week works',
  },
];

/** Text below the syllabus of large courses, as long as real ones. */
const questionsAndAnswers: readonly string[] = [
  'How long does it take?\nMost people need six to eight weeks with about three hours a week. Nobody checks your pace: lessons stay open, and you can leave for a month and come back to the very lesson at which you stopped. If you want company, join one of the groups that start on the first Monday of each month.',
  'What do I need to know beforehand?\nNothing that you could not look up on the way. We explain every term when it comes up for the first time, and again in the glossary at the end of each module. If you already know a module, do its last exercise; if that is easy, skip ahead.',
  'Which tools do I need?\nA computer that is not older than ten years. All programs that we use are free, run on every common system, and work without an account. A tablet is enough for reading and watching, but not for the exercises.',
  'Is there homework?\nYes, and it is the point. Each module ends with a task that takes an evening. You can hand it in as an answer to the lesson; the team reads every answer within three working days and writes back, sometimes at length. Answers are never shown to other students.',
  'Can I work on my own material?\nPlease do. The examples are there for those who have none. People who bring their own mess learn twice as much, and the mess is gone afterwards. Remove names and other private details before you post anything in the forum.',
  'Do I get a certificate?\nAt 100 percent you can download one with your name and the number of lessons. It proves that you did the work, no more and no less. Some employers have asked us for a list of topics: it is on the second page.',
  'What if it is not for me?\nWrite to the team within 30 days, in one line, without reasons. You get your money back, and your notes remain yours. We only ask you to tell us where you stopped, because that is how the course gets better.',
  'Who made this?\nThree people who teach this for a living and were tired of slides. Every lesson was tried on at least five beginners before it was published, and rewritten where two of them got stuck. The course is revised each spring; if you have bought it, you have the new one too.',
  'Are there subtitles?\nIn English for all videos, in Portuguese, Spanish and German for most. Transcripts are below each video, so that you can search them. If you find a mistake, the forum has a topic for it, and corrections are usually online within the week.',
  'Can my employer pay?\nOften, yes. At the checkout you can enter a company and its tax number, and the invoice comes by email within a minute. For groups of five and more there is a licence with one invoice for all; the people in the group choose their own pace, and you see only whether they have started, not how they are doing.',
  'What do people build?\nAt the end of the course everybody makes something small and real. Last year we saw a rota for a swimming club, the accounts of a village fair, a list of everything in a museum cellar, and a program that sorts holiday pictures by the dog that is in them. You can look at many of these in the community, and ask their makers how they went about it.',
  'Will it be out of date soon?\nParts of it. We change a lesson as soon as a menu moves or a button gets another name, and note the date at its foot. The ideas have been the same for forty years and will outlive the buttons. If you print the cheat sheets, print them again once a year.',
];

const manyLessons = 35;

/** The pitch. The largest courses add a syllabus and answers to questions: over 4,000 characters. */
function courseDescription(text: CourseText): string {
  const count = text.modules.reduce((sum, [, lessons]) => sum + lessonTitles(lessons).length, 0);
  if (count < manyLessons) return `${text.pitch}\n\n${contents(text, count)}`;
  return [text.pitch, 'What is inside', ...text.modules.map(syllabus), ...questionsAndAnswers].join('\n\n');
}

function contents({ modules }: CourseText, count: number): string {
  return `${count} lessons in ${modules.length} modules: ${modules.map(([title]) => title).join('; ')}.`;
}

function syllabus([title, lessons]: CourseText['modules'][number]): string {
  return [title, ...lessonTitles(lessons).map((lesson) => `- ${lesson}`)].join('\n');
}

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

function seedBundles(): Records<BundleRecord> {
  return new Records(
    bundleTexts.map((text, index) => ({
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
    digitalProductTexts.map((text, index) => ({
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
    projectTexts.map(([title, description, courseId], index) => ({
      id: index + 1,
      title,
      slug: slugOf(title, `project-${index + 1}`),
      description,
      course_id: courseId,
    })),
  );
}
