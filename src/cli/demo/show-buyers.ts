import { costText, type DemoContext } from './demo-context.ts';
import { checkAgainstRaw } from './recount-purchases.ts';
import { buyerTable } from './tables.ts';
import { type FoundBuyers, foundBuyers, salesReport } from './tool-results.ts';

export interface Course {
  id: number;
  title: string;
}

/** Results for the later sections. */
export interface Sales {
  /** Courses that were sold, the best seller first. */
  courses: readonly Course[];
  best: Course;
  /** Emails. */
  buyers: readonly string[];
}

/** Number of report rows that are shown. */
const maxShown = 5;

/** The first line of the report, its top rows, and the number of the others. */
export function excerptOfReport(text: string, groups: number): string[] {
  const lines = text.split('\n');
  const heading = lines.findIndex((line) => line.startsWith('key | '));
  const left = groups - maxShown;
  return [
    ...lines.slice(0, 1),
    ...lines.slice(heading, heading + 1 + Math.min(groups, maxShown)),
    ...(left > 0 ? [`(${left} more rows)`] : []),
  ];
}

/** The courses among the rows of a report, the best seller first. */
export function coursesIn(groups: readonly { key: string; label: string }[]): Course[] {
  return groups.flatMap(({ key, label }) => {
    const [, id] = /^course (\d+)$/.exec(key) ?? [];
    return id === undefined ? [] : [{ id: Number(id), title: label }];
  });
}

async function showSales({ screen, readText }: DemoContext): Promise<Course[]> {
  screen.question('What sold last week?');
  const { text, data } = await readText(salesReport, 'sales_report', { period: 'last_week', group_by: 'product' });
  screen.answer(excerptOfReport(text, data.groups.length));
  return coursesIn(data.groups);
}

async function askForBuyers({ screen, readText }: DemoContext, { title }: Course): Promise<FoundBuyers> {
  screen.question(`Who bought “${title}” last week?`);
  const question = { product: title, period: 'last_week' };
  const { text, data } = await readText(foundBuyers, 'find_buyers', question);
  screen.answer([...text.split('\n').slice(0, 1), ...buyerTable(data.buyers)]);
  return data;
}

/** Asks who bought the best seller last week, and checks the answer against the raw orders. */
export async function showBuyers(demo: DemoContext): Promise<Sales> {
  const { screen } = demo;
  screen.heading('Who bought a course last week?');
  const spent = demo.count();
  const courses = await showSales(demo);
  const [best] = courses;
  if (best === undefined) throw new Error('no course was sold in the last week');
  const found = await askForBuyers(demo, best);
  screen.answer([costText(spent())]);
  const all = await checkAgainstRaw(demo, found);
  const { orders, buyers, granted_excluded: granted } = found.totals;
  screen.check(
    `A direct count over all ${all} raw orders of the HTTP API finds the same ${orders} purchases by ${buyers} buyers. Access that an admin granted is not a purchase (excluded: ${granted}).`,
  );
  return { courses, best, buyers: found.buyers.map(({ email }) => email) };
}
