import sqlite3InitModule, { type Database, type Sqlite3Static as Sqlite } from '@sqlite.org/sqlite-wasm';

export type { Database, Sqlite };

const silent = () => {};

/** Loads SQLite. It prints failing statements otherwise, which may quote data of students. */
export async function loadSqlite(): Promise<Sqlite> {
  const quiet = { warn: silent, error: silent, log: silent, debug: silent };
  Object.assign(globalThis, { sqlite3ApiConfig: quiet });
  const sqlite = await sqlite3InitModule();
  Object.assign(sqlite.config, quiet);
  return sqlite;
}
