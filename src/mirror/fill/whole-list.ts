import { unreadableEntries } from '../../api/http/unreadable-paths.ts';
import { recordFailureOf } from '../../api/partial-failure.ts';
import { hourMs } from '../../shared/durations.ts';
import type { Cell, Statement } from '../engine/messages.ts';
import { insertRows } from '../rows/insert-rows.ts';
import { writeSync } from './fill-state.ts';
import type { FillContext, Filling } from './list-filling.ts';

/** A list that the API sends whole, in one request. */
export interface WholeList {
  /** The table that it fills. */
  readonly table: string;
  /** Which rows of the table an answer replaces; all of them if undefined. */
  readonly where?: string;
  read(context: FillContext): Promise<{ items: readonly object[] }>;
  /** The row of a record; undefined for one that cannot be stored. */
  rowOf(item: object, context: FillContext): readonly Cell[] | undefined;
  /** What else follows from the rows. */
  more?(rows: readonly (readonly Cell[])[]): Statement[];
}

async function fill(list: WholeList, context: FillContext): Promise<void> {
  const { table, where = '1', read, rowOf, more = () => [] } = list;
  const asOf = context.now();
  const answer = await read(context);
  const rows = answer.items.map((item) => rowOf(item, context));
  const stored = rows.filter((row) => row !== undefined);
  const lost = unreadableEntries(answer) + rows.length - stored.length;
  const problem = lost === 0 ? undefined : `${lost} records could not be read`;
  await context.store.write([
    { sql: `DELETE FROM ${table} WHERE ${where}` },
    ...insertRows(table, stored),
    ...more(stored),
    ...writeSync({ name: table, complete: lost === 0, total: rows.length, asOf, problem }),
  ]);
}

/** Fills tables from lists that the API sends whole, each again after an hour. The API may refuse one of them. */
export function createWholeLists(name: string, lists: readonly WholeList[], intervalMs = hourMs): Filling {
  let dueAt = Number.NEGATIVE_INFINITY;
  return {
    name,
    isDue: async ({ now }) => now().getTime() >= dueAt,
    step: async (context) => {
      for (const list of lists) {
        try {
          await fill(list, context);
        } catch (error) {
          const problem = recordFailureOf(error, true);
          if (problem === undefined) throw error;
          await context.store.write(writeSync({ name: list.table, complete: false, asOf: context.now(), problem }));
        }
      }
      dueAt = context.now().getTime() + intervalMs;
    },
    invalidate: () => {
      dueAt = Number.NEGATIVE_INFINITY;
    },
  };
}
