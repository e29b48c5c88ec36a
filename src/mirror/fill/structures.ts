import { unreadablePathsIn } from '../../api/http/unreadable-paths.ts';
import { getCourseStructure } from '../../contract/courses.ts';
import { dayMs } from '../../shared/durations.ts';
import type { Statement } from '../engine/messages.ts';
import { insertRows } from '../rows/insert-rows.ts';
import { structureRows } from '../rows/record-rows.ts';
import { failureToStore, hasMissing, keysOf, removeMissing, writeSync } from './fill-state.ts';
import { createSchedule, type FillContext, type Filling } from './list-filling.ts';

const tables = ['modules', 'lessons'] as const;

/** One reading of all courses. */
interface Pass {
  readonly startedAt: Date;
  readonly end: ReturnType<ReturnType<typeof createSchedule>['begin']>;
  /** The courses that were not read yet. */
  readonly left: number[];
  readonly problems: string[];
}

/** Fills `modules` and `lessons`, one request per published course, once a day. */
export function createStructureFilling(): Filling {
  const { isDue, begin, invalidate } = createSchedule();
  let pass: Pass | undefined;

  async function beginPass({ now, store }: FillContext): Promise<Pass> {
    const courses = await store.read('SELECT id FROM courses ORDER BY id');
    return { startedAt: now(), end: begin(), left: courses.map(([id]) => Number(id)), problems: [] };
  }

  async function readCourse(course_id: number, { problems }: Pass, { api, now, store }: FillContext): Promise<void> {
    const readAt = now().getTime();
    const structure = await api.call(getCourseStructure, { course_id });
    const isWhole = unreadablePathsIn(structure).length === 0;
    if (!isWhole) problems.push(`course ${course_id}: parts of it could not be read`);
    const rows = structureRows(structure, course_id);
    const covers = { sql: 'course_id = ?', values: [course_id] };
    const gone = tables.flatMap((table) => {
      const shown = keysOf(rows[table].map(([id = null]) => id));
      return isWhole ? removeMissing({ table, key: 'id', covers, shown }, readAt) : [];
    });
    await store.write([...tables.flatMap((table) => insertRows(table, rows[table])), ...gone]);
  }

  async function readOne(course: number, current: Pass, context: FillContext): Promise<void> {
    try {
      await readCourse(course, current, context);
      const lacks = await Promise.all(tables.map((table) => hasMissing(context.store, table)));
      // The second reading after the first proves which rows are gone.
      if (lacks.includes(true)) await readCourse(course, current, context);
    } catch (error) {
      const problem = failureToStore(error, `course ${course}`);
      if (problem === undefined) throw error;
      current.problems.push(problem);
    }
  }

  async function finish({ startedAt, end, problems }: Pass, { store, now }: FillContext): Promise<void> {
    const state = { complete: problems.length === 0, newUpTo: startedAt, comparedAt: now(), problem: problems[0] };
    const gone = (table: string): Statement[] => [
      { sql: `DELETE FROM ${table} WHERE course_id NOT IN (SELECT id FROM courses)` },
      { sql: `DELETE FROM fill_missing WHERE list = ? AND id NOT IN (SELECT id FROM ${table})`, values: [table] },
    ];
    await store.write(tables.flatMap((name) => [...gone(name), writeSync({ name, ...state })]));
    pass = undefined;
    end({ now }, dayMs);
  }

  return {
    name: 'structures',
    isDue: async (context) => {
      // The list of courses comes first.
      const known = await context.store.read("SELECT 1 FROM sync WHERE name = 'courses'");
      return known.length > 0 && (pass !== undefined || isDue(context));
    },
    step: async (context) => {
      pass ??= await beginPass(context);
      const [course] = pass.left;
      if (course === undefined) return await finish(pass, context);
      await readOne(course, pass, context);
      pass.left.shift();
    },
    invalidate,
  };
}
