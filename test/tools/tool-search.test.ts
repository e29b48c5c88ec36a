import { expect, test } from 'vitest';
import { tools } from '../../tools/index.ts';
import { startAcademy } from '../support/connect.ts';

/** A text to search, with the name that a hit reports. */
interface Searchable {
  readonly name: string;
  readonly text: string;
}

// The usual values: how fast a repeated word saturates, and how much a long text is discounted.
const saturation = 1.2;
const lengthWeight = 0.75;

/** Words of every question, which a search leaves out. */
const stopWords = new Set(
  'a about all an and are at be by can did do does for from has have her him his how i in is it its me my no not of on or our she so that the their them there they this to us was we what when which who whose will with you'.split(
    ' ',
  ),
);

/** The singular, roughly: "courses" and "course" are one word. */
const stem = (word: string) => (word.length > 3 ? word.replace(/(?<=[^s])s$/, '') : word);

/** Lower-case words. A name such as `find_buyers` is two words. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.filter((word) => !stopWords.has(word)).map(stem);
}

function countOf(words: readonly string[], wanted: string): number {
  return words.filter((word) => word === wanted).length;
}

/** Ranks texts by BM25, as clients do that search tools instead of loading all of them. Returns names, best first. */
function createSearch(texts: readonly Searchable[]): (question: string) => string[] {
  const entries = texts.map(({ name, text }) => ({ name, words: wordsOf(`${name} ${text}`) }));
  const average = entries.reduce((sum, { words }) => sum + words.length, 0) / entries.length;

  function rarity(word: string): number {
    const holders = entries.filter(({ words }) => words.includes(word)).length;
    return Math.log(1 + (entries.length - holders + 0.5) / (holders + 0.5));
  }

  function score(words: readonly string[], asked: readonly string[]): number {
    const discount = saturation * (1 - lengthWeight + (lengthWeight * words.length) / average);
    const parts = asked.map((word) => {
      const count = countOf(words, word);
      return (rarity(word) * count * (saturation + 1)) / (count + discount);
    });
    return parts.reduce((sum, part) => sum + part, 0);
  }

  return (question) => {
    const asked = [...new Set(wordsOf(question))];
    const scored = entries.map(({ name, words }) => ({ name, score: score(words, asked) }));
    return scored.sort((one, other) => other.score - one.score).map(({ name }) => name);
  };
}

/** What admins ask, in their own words, and the tool that answers it. */
const questions: [question: string, tool: string][] = [
  ['Who bought the photography course last week?', 'find_buyers'],
  ['Give me the email of everybody who purchased the SQL course this month', 'find_buyers'],
  ['Which customers bought both the beginner and the advanced course?', 'find_buyers'],
  ['How much revenue did we make last month?', 'sales_report'],
  ['What were our best sellers this year?', 'sales_report'],
  ['Sales by country for the last 30 days', 'sales_report'],
  ['Whose payment failed and who never paid afterwards?', 'unpaid_orders'],
  ['People whose card was declined and who still have no access', 'unpaid_orders'],
  ['Tell me everything about ana@example.com', 'student_profile'],
  ['Which courses and bundles does this student hold?', 'student_profile'],
  ['A customer says she cannot open the course she paid for. Why?', 'diagnose_access'],
  ['Does this student have access to the bundle, and since when?', 'diagnose_access'],
  ['How far have the buyers of my course come?', 'course_progress'],
  ['Who is stuck or has not started the SQL course yet?', 'course_progress'],
  ['What is new in the community this week?', 'community_digest'],
  ['Which community questions have no answer yet?', 'community_digest'],
  ['Enroll these 30 people in the course', 'sync_roster'],
  ['Give a whole list of students access to a bundle', 'sync_roster'],
  ['This student leaves, take everything away from them', 'offboard_student'],
  ['Remove all access of a student who left', 'offboard_student'],
  ['Give one student a course for free', 'enroll_student'],
  ['Add a new student to the academy', 'enroll_student'],
  ['Take this course away from a student', 'revoke_course'],
  ['She asked for a refund, remove the course from her orders', 'revoke_course'],
  ['Take a bundle back from a student', 'revoke_bundle'],
  ['Mark somebody as no longer a paying student', 'unenroll_student'],
  ['Make her a moderator: give her a role', 'grant_role'],
  ['Take the role away from this student', 'revoke_role'],
  ['Which roles are there?', 'list_roles'],
  ['Let him start the course again from zero: reset his progress', 'reset_course_progress'],
  ['Reset the progress in every course of a bundle', 'reset_bundle_progress'],
  ['Which courses do we have and what do they cost?', 'list_courses'],
  ['Show the description and the cover of a course', 'get_course'],
  ['Show all modules and lessons of a course', 'get_course_structure'],
  ['Find the id of a lesson by its title', 'get_course_structure'],
  ['I want to reorder the lessons of a course, show me a plan first', 'plan_course_outline'],
  ['Move lesson 12 to the second module', 'plan_course_outline'],
  ['Write the planned new order of the lessons', 'apply_course_outline'],
  ['Undo the restructuring of the course', 'apply_course_outline'],
  ['Add a lesson about white balance to the course', 'create_lesson'],
  ['Rename a lesson and publish it', 'update_lesson'],
  ['Change the video of a lesson', 'update_lesson'],
  ['Find a product whose title contains photo', 'search_products'],
  ['Change the price of a product', 'update_product'],
  ['Hide a course from the shop or unpublish it', 'update_product'],
  ['Show the price and settings of a challenge', 'get_product'],
  ['Which bundles do we offer?', 'list_bundles'],
  ['How many products are in this bundle?', 'get_bundle'],
  ['Which downloads do we sell?', 'list_digital_products'],
  ['Show one digital product with its file type', 'get_digital_product'],
  ['Find the channel for photo critique', 'search_channels'],
  ['Is this channel locked or private?', 'get_channel'],
  ['How are our channels grouped?', 'list_community_groups'],
  ['What did people write about lighting in the forum?', 'search_posts'],
  ['Open a new channel for night photography', 'create_channel'],
  ['Lock a channel so that only admins may post', 'update_channel'],
  ['All orders of ana@example.com, also failed ones', 'list_orders'],
  ['Show the billing address of order 40im71m5oai7', 'get_order'],
  ['List all students who joined this year, sorted by points', 'list_students'],
  ['When did this student sign up and how often do they log in?', 'get_student_details'],
  ['How far is one student in one course?', 'get_course_completion'],
  ['Who has finished everything, 100 percent?', 'list_completed_students'],
  ['What did students answer in the assignments?', 'list_assignment_answers'],
  ['Show the work that students posted in projects', 'list_project_posts'],
  ['Which plan are we on and what may this API key do?', 'get_account'],
];

/** Clients that search tools load about this many at once. */
const loaded = 5;

async function openSearch() {
  const { client } = await startAcademy();
  const { tools: listed } = await client.listTools();
  return createSearch(listed.map(({ name, description = '' }) => ({ name, text: description })));
}

test('the questions are about every tool', () => {
  expect(questions.length).toBeGreaterThanOrEqual(60);
  const about = new Set(questions.map(([, tool]) => tool));
  expect(tools.map(({ name }) => name).filter((name) => !about.has(name))).toEqual([]);
});

test('a search by the words of each question finds its tool among the first five', async () => {
  const search = await openSearch();
  const missed = questions.flatMap(([question, tool]) => {
    const found = search(question).slice(0, loaded);
    return found.includes(tool) ? [] : [`${question} -> ${found.join(', ')} instead of ${tool}`];
  });
  expect(missed).toEqual([]);
});
