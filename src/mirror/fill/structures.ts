import { unreadablePathsIn } from '../../api/http/unreadable-paths.ts';
import { recordFailureOf } from '../../api/partial-failure.ts';
import { getCourseStructure } from '../../contract/courses.ts';
import { dayMs } from '../../shared/durations.ts';
import type { Statement } from '../engine/messages.ts';
import { insertRows } from '../rows/insert-rows.ts';
import { structureRows } from '../rows/record-rows.ts';
import { writeSync } from './fill-state.ts';
import type { FillContext, Filling } from './list-filling.ts';

const list = 'modules';

/** Courses whose structure this pass has not read yet. */
async function unread({ store }: FillContext): Promise<number[]> {
  const sql = 'SELECT id FROM courses WHERE id NOT IN (SELECT id FROM fill_seen WHERE list = ?) ORDER BY id';
  return (await store.read(sql, [list])).map(([id]) => Number(id));
}

/** Fills `modules` and `lessons`, one request per published course, once a day. */
export function createStructureFilling(): Filling {
  let dueAt = Number.NEGATIVE_INFINITY;
  let problems: string[] = [];

  async function readCourse(course_id: number, { api }: FillContext): Promise<Statement[]> {
    const structure = await api.call(getCourseStructure, { course_id });
    if (unreadablePathsIn(structure).length > 0) problems.push(`course ${course_id}: parts of it could not be read`);
    const { modules, lessons } = structureRows(structure, course_id);
    return [
      { sql: 'DELETE FROM modules WHERE course_id = ?', values: [course_id] },
      { sql: 'DELETE FROM lessons WHERE course_id = ?', values: [course_id] },
      ...insertRows('modules', modules),
      ...insertRows('lessons', lessons),
    ];
  }

  async function finish({ store, now }: FillContext): Promise<void> {
    const state = { complete: problems.length === 0, asOf: now(), problem: problems[0] };
    await store.write([
      { sql: 'DELETE FROM modules WHERE course_id NOT IN (SELECT id FROM courses)' },
      { sql: 'DELETE FROM lessons WHERE course_id NOT IN (SELECT id FROM courses)' },
      { sql: 'DELETE FROM fill_seen WHERE list = ?', values: [list] },
      ...writeSync({ name: 'modules', ...state }),
      ...writeSync({ name: 'lessons', ...state }),
    ]);
    problems = [];
    dueAt = now().getTime() + dayMs;
  }

  return {
    name: 'structures',
    isDue: async ({ now, store }) => {
      // The list of courses comes first.
      const known = await store.read("SELECT 1 FROM sync WHERE name = 'courses'");
      return known.length > 0 && now().getTime() >= dueAt;
    },
    step: async (context) => {
      const [course] = await unread(context);
      if (course === undefined) return await finish(context);
      const seen = { sql: 'INSERT OR IGNORE INTO fill_seen (list, id) VALUES (?, ?)', values: [list, course] };
      try {
        await context.store.write([...(await readCourse(course, context)), seen]);
      } catch (error) {
        const problem = recordFailureOf(error, true);
        if (problem === undefined) throw error;
        problems.push(`course ${course}: ${problem}`);
        await context.store.write([seen]);
      }
    },
    invalidate: () => {
      dueAt = Number.NEGATIVE_INFINITY;
    },
  };
}
