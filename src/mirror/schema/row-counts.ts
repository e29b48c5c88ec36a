import type { Statement } from '../engine/messages.ts';
import { tables } from './tables.ts';

// The counts of rows are kept with the rows: counting all of a file that was just opened would read most of its pages.

/** The tables whose rows are counted. */
export const countedTables = tables.filter(({ view, name }) => view === undefined && name !== 'sync');

const counts = `json_array(${countedTables.map(({ name }) => `(SELECT count(*) FROM ${name})`).join(', ')})`;
const kept = "SELECT value FROM fill_state WHERE key = 'row_counts'";

/** The number of rows of each of `countedTables`, as JSON. */
export const selectRowCounts = `SELECT coalesce((${kept}), ${counts})`;

/** Comes before every write. */
export const forgetRowCounts: Statement = { sql: "DELETE FROM fill_state WHERE key = 'row_counts'" };

export const hasRowCounts = `SELECT EXISTS (${kept})`;
export const keepRowCounts: Statement = {
  sql: `INSERT INTO fill_state (key, value) VALUES ('row_counts', ${counts})`,
};
