import { unreadableEntries } from '../../api/http/answer-facts.ts';
import { createPages, nextPages, remainingPages } from '../../api/pages.ts';
import { listStudents } from '../../contract/students.ts';
import type { StudentItem, StudentsReading } from '../../insights/students/select-students.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { inBatches } from '../batch.ts';
import { keepingAnswers, studentLists } from '../scan-store.ts';

/** API document: "Limits". */
const perPage = 50;

async function readPages(maxRequests: number, { api, spent, progress }: ToolContext): Promise<StudentsReading> {
  const pages = createPages({ noun: 'students', perPage, isRechecked: true });
  const list = { pages };
  const seen = new Map<string, StudentItem>();
  /** Entries that are not records, by page. */
  const lost = new Map<number, number>();
  let stopped: string | undefined;
  const left = () => maxRequests - spent();
  const run = ({ page }: { page: number }) => api.call(listStudents, { page }, page === 1 ? {} : { priority: 'bulk' });
  const keep = ({ page }: { page: number }, answer: Awaited<ReturnType<typeof run>>) => {
    const { items, meta } = answer;
    const isKept = pages.add(page, { items, totalPages: meta?.total_pages, total: meta?.total_students });
    if (!isKept) {
      seen.clear();
      lost.clear();
      return;
    }
    for (const student of items)
      seen.set(student.id === undefined ? JSON.stringify(student) : `id ${student.id}`, student);
    lost.set(page, unreadableEntries(answer));
  };
  const onProgress = () =>
    progress(pages.spent(), pages.spent() + pages.left(), `read ${pages.spent()} pages of students`);
  const next = () => nextPages([list], Math.max(1, left()));
  for (let round = next(); round.length > 0 && left() > 0 && stopped === undefined; round = next()) {
    ({ stopped } = await inBatches(round, { run, keep }, { left, progress: onProgress }));
  }
  const { left: pagesLeft, problem } = remainingPages([list]);
  const entries = [...lost.values()].reduce((sum, count) => sum + count, 0);
  const unread = entries > 0 ? `${entries} entries are not records` : undefined;
  return { students: [...seen.values()], pagesRead: pages.read(), pagesLeft, problem: stopped ?? problem ?? unread };
}

/** Reads every student: 50 a request, within `maxRequests`. A further part takes what the part before read. */
export async function readAllStudents(
  isFurther: boolean,
  maxRequests: number,
  context: ToolContext,
): Promise<StudentsReading> {
  const cache = context.stores.of(studentLists);
  const cached = isFurther ? cache.get('all') : undefined;
  const api = keepingAnswers(context.api, isFurther);
  const read = cached ?? (await readPages(maxRequests, { ...context, api }));
  cache.set('all', read);
  return read;
}
