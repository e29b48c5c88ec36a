import type { Guard } from './guard.ts';

const engine = ['test/mirror/engine.test.ts'];
const store = ['test/mirror/store.test.ts'];
const data = ['test/tools/data.test.ts'];

/** The mirror is only read, its file is trusted only if it is whole, and filling it takes nothing from people. */
export const mirrorGuards: readonly Guard[] = [
  {
    name: 'the engine refuses every action but reading',
    file: 'src/mirror/engine/authorizer.ts',
    text: 'return refuse(nameOf(action));',
    instead: 'return capi.SQLITE_OK;',
    tests: engine,
    only: 'a refusal says',
  },
  {
    name: 'a statement can use only listed functions',
    file: 'src/mirror/engine/authorizer.ts',
    text: 'functions.has(String(second).toLowerCase()) ? capi.SQLITE_OK',
    instead: 'true ? capi.SQLITE_OK',
    tests: engine,
    only: 'a refusal says',
  },
  {
    name: 'a statement can read only the tables of describe_data',
    file: 'src/mirror/engine/authorizer.ts',
    text: 'if (!tables.has(name) && !isOwn)',
    instead: 'if (false)',
    tests: engine,
    only: 'a refusal says',
  },
  {
    name: 'only one statement runs',
    file: 'src/mirror/engine/guarded-query.ts',
    text: 'if (statement !== 0 && only !== 0)',
    instead: 'if (false)',
    tests: engine,
    only: 'a refusal says',
  },
  {
    name: 'a statement has a longest time',
    file: 'src/mirror/engine/statement-limits.ts',
    text: "if (performance.now() > until) interrupted = 'time';\n    else if",
    instead: 'if',
    tests: engine,
    only: 'a statement without an end',
  },
  {
    name: 'the pages of a file are trusted only with their checksum',
    file: 'src/mirror/engine/image.ts',
    text: "if (checksum(pages) !== header.sha256) throw damaged('its checksum is wrong');",
    instead: '',
    tests: store,
    only: 'a byte is another one',
  },
  {
    name: 'a file of another academy is refused',
    file: 'src/mirror/store.ts',
    text: 'if (header?.baseUrl !== identity.baseUrl) throw otherAcademy();',
    instead: '',
    tests: store,
    only: 'a file of another academy',
  },
  {
    name: 'a file with the days of another time zone is not used',
    file: 'src/mirror/store.ts',
    text: ' && header.timezone === identity.timezone',
    instead: '',
    tests: store,
    only: 'another time zone',
  },
  {
    name: 'a mirror file that others can read is refused',
    file: 'src/mirror/file/mirror-file.ts',
    text: "if (platform() !== 'win32' && (stats.mode & othersMay) !== 0) refuse(",
    instead: 'if (false) refuse(',
    tests: store,
    only: 'a symbolic link',
  },
  {
    name: 'only one process fills a file',
    file: 'src/mirror/file/fill-lock.ts',
    text: 'if (lockOwner(path) !== undefined) return false;',
    instead: '',
    tests: store,
    only: 'one of two processes',
  },
  {
    name: 'filling keeps to its share of the budget',
    file: 'src/mirror/fill/pace.ts',
    text: ' && used <= Math.max(1, Math.floor(limit * share))',
    instead: '',
    tests: ['test/mirror/pace.test.ts'],
  },
  {
    name: 'what members wrote is fenced in the answer of query_data',
    file: 'tools/data/query-rows.ts',
    text: ' || (hasFreeText && /\\s/.test(text.trim()))',
    instead: '',
    tests: data,
    only: 'what members wrote',
  },
];
