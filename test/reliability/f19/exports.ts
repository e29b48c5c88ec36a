import { readFile } from 'node:fs/promises';
import { startGuarded } from '../../support/guarded.ts';
import { callMessage, createCaller } from '../../support/http-server.ts';
import { temporaryFolder } from '../../support/sandbox.ts';
import { type Attack, over, overHttp, unless } from './attack.ts';

// Results of statements and exports: what a spreadsheet runs, what has no mark, and what runs a tool that the caller lacks.

const settings = { ACADEMY_MIRROR: 'memory' };

/** What a program with other separators or quotes takes for the end of a cell, and blanks before a formula. */
const starts = ['', ' ', '\u00a0', '\u3000', '\t', '\n', 'x;', 'x,', 'x|', 'x\t"', 'x;"', '";"', '1\n', "a'", 'x;" '];
const formulas = ["=cmd|' /C calc'!A0", '+1+1', '-1,2+1', '@SUM(A1)', '＝1+1', '－1+1'];
const runs = /^[\s\u2800]*[=+\-@＝＋－＠]/;

const startExports = async () => startGuarded({ ...settings, ACADEMY_EXPORT_DIR: await temporaryFolder() });

const cells = (start: string): Attack => ({
  words: `formulas behind ${JSON.stringify(start)} in the cells of an export`,
  attempt: async () => {
    const { call } = await startExports();
    const columns = formulas.map((formula) => `'${`${start}${formula}`.replaceAll("'", "''")}'`);
    const { structured, text } = await call('export_data', { sql: `SELECT ${columns.join(', ')}` });
    if (typeof structured?.file !== 'string') return text;
    const [, ...row] = (await readFile(structured.file, 'utf8')).split('\r\n');
    const parts = row.join('').split(/[,;\t\n"]/);
    const found = parts.filter((cell) => runs.test(cell));
    return unless(found.length === 0, found.join(' | '));
  },
});

/** Statements whose only text is one that members wrote. */
const hidden = [
  'SELECT content AS status FROM posts LIMIT 1',
  "SELECT replace(content, ' ', '') AS title FROM posts LIMIT 1",
  'SELECT (SELECT group_concat(content) FROM posts) AS c FROM orders LIMIT 1',
  'SELECT title FROM courses WHERE 0 UNION ALL SELECT content FROM posts LIMIT 1',
  'WITH sales AS (SELECT content AS c FROM posts) SELECT max(c) AS c FROM sales',
  'SELECT name AS currency FROM students LIMIT 1',
  'SELECT upper(author_slug) AS a FROM posts LIMIT 1',
  'SELECT json_group_array(name) AS a FROM holdings',
];

const unmarked = (sql: string): Attack => ({
  words: `text of members by ${sql}`,
  attempt: async () => {
    const { call } = await startGuarded(settings);
    for (const what of ['posts', 'students']) await call('refresh_data', { what });
    const { structured = {} } = await call('query_data', { sql });
    const { rows, by_members } = structured;
    const [row] = Array.isArray(rows) ? rows : [];
    const plain = Object.entries(Object(row)).filter(
      ([key, value]) => key !== 'untrusted' && typeof value === 'string',
    );
    const isMarked = plain.every(([key]) => Array.isArray(by_members) && by_members.includes(key));
    return unless(isMarked, JSON.stringify(structured));
  },
});

const foreign = (tool: string): Attack => ({
  words: `${tool} by export_data, of a server without its toolset`,
  attempt: async () => {
    const folder = await temporaryFolder();
    const own = { ...settings, ACADEMY_TOOLSETS: 'data,courses', ACADEMY_EXPORT_DIR: folder };
    const { client, call } = await startGuarded(own);
    const { tools } = await client.listTools();
    const listed = JSON.stringify(tools.find(({ name }) => name === 'export_data')?.inputSchema).includes(tool);
    const { isError, text } = await call('export_data', { tool });
    return unless(isError && !listed, text);
  },
});

/** Answers whose only texts of members are where no schema says so. */
const unnamed = (tool: string, args: Record<string, unknown>, field: string): Attack => ({
  words: `text of members in ${field} of ${tool} ${JSON.stringify(args)}`,
  attempt: async () => {
    const { structured, text } = await (await startExports()).call(tool, args);
    const members = structured?.by_members;
    return unless(Array.isArray(members) && members.includes(field), text);
  },
});

/** Functions whose errors quote what they were given. */
const failing = [
  "json_extract('{}', content)",
  "json_extract(content, '$')",
  "'{}' ->> ('$[' || content)",
  "json_type('{}', content)",
  'json_object(content, json(content))',
  "'a' LIKE 'b' ESCAPE content",
  'percentile(1, content)',
  'CASE WHEN content THEN 1 ELSE json(content) END',
  'sum(1) OVER (ROWS content PRECEDING)',
  'nth_value(1, content) OVER ()',
];

const locked = { ...settings, ACADEMY_LOCKDOWN: 'true' };
const write = { product_type: 'course', id_or_slug: '5', title: 'New' };

const telling = (expression: string): Attack => ({
  words: `the error of ${expression}`,
  attempt: async () => {
    const { call } = await startGuarded(locked);
    await call('refresh_data', { what: 'posts' });
    const { text } = await call('query_data', { sql: `SELECT ${expression} FROM posts` });
    const { text: written } = await call('update_product', write);
    const { structured } = await call('query_data', { sql: 'SELECT content FROM posts' });
    const words = Object(structured).rows.flatMap(
      (row: { untrusted?: { content?: string } }) => String(row.untrusted?.content).match(/\w{9,}/g) ?? [],
    );
    const quoted = words.find((word: string) => text.includes(word));
    const isHeld = words.length > 0 && quoted === undefined && written.includes('confirmation_required');
    return unless(isHeld, `${quoted} ${text} ${written}`);
  },
});

export const cellAttacks = starts.map(cells);

const byCountry = { period: 'all_time', group_by: 'country' };
export const unmarkedAttacks: readonly Attack[] = [
  ...hidden.map(unmarked),
  unnamed('export_data', { tool: 'sales_report', arguments: byCountry }, 'key'),
  unnamed('sales_report', byCountry, 'key'),
  unnamed('offboard_student', { email: 'freya.hargreaves@example.net' }, 'plan'),
];

export const tellingAttacks = failing.map(telling);

export const foreignAttacks: readonly Attack[] = [
  ...['list_students', 'find_buyers', 'sales_report'].map(foreign),
  {
    words: 'an error that repeats a post, before a write under lockdown',
    attempt: async () => {
      const { call } = await startGuarded(locked);
      await call('query_data', { sql: "SELECT json_extract('{}', content) FROM posts" });
      const { text } = await call('update_product', write);
      return unless(text.includes('confirmation_required'), text);
    },
  },
];

// Prices and names that change without a word, and exports that one caller takes from another.

const price = (old: unknown, now: string): Attack => ({
  words: `a price of ${now} instead of ${JSON.stringify(old)}`,
  attempt: async () => {
    const product = (shown: unknown) => ({ product: { id: 5, title: 'T', attributes: { price: shown } } });
    const { call } = await over(({ method }) => ({ body: product(method === 'GET' ? old : now) }));
    const { text } = await call('update_product', { product_type: 'course', id_or_slug: '5', price: now });
    return unless(text.startsWith('Warning: ') && text.split('\n')[0]?.includes(now) === true, text);
  },
});

const email = 'freya.hargreaves@example.net';
const evil = 'Somebody Else';

const renaming = (words: string, tool: string, args: Record<string, unknown>): Attack => ({
  words: `another name for an existing student by ${words}`,
  attempt: async () => {
    const { call } = await startGuarded({ ACADEMY_CONFIRM: 'argument' });
    await call('enroll_student', { email, name: 'Freya Hargreaves' });
    await call(tool, args);
    const { text } = await call('get_student_details', { email });
    return unless(text.includes('Freya Hargreaves') && !text.includes(evil), text);
  },
});

const tokens = ['first', 'second'].map((word) => `${word}-token-0123456789abcdef`);

async function startCallers() {
  const { url } = await overHttp({ ...settings, ACADEMY_HTTP_TOKENS: tokens.join(',') });
  let id = 1;
  return await Promise.all(
    tokens.map(async (token) => {
      const caller = createCaller(url, 50);
      const own = await caller.open({ authorization: `Bearer ${token}` });
      const ask = async (message: object) => {
        id += 1;
        return (await caller.send({ jsonrpc: '2.0', ...message, id }, own)).text;
      };
      return {
        exported: (sql: string) => ask(callMessage(0, 'export_data', { sql })),
        read: (uri: string) => ask({ method: 'resources/read', params: { uri } }),
      };
    }),
  );
}

const numbers = (rows: number) =>
  `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT ${rows}) SELECT x, printf('%60d', x) AS y FROM n`;
const linkIn = (text: string) => /academy:\/\/exports\/[\w-]+/.exec(text)?.[0] ?? text;

type Attempt = (callers: Awaited<ReturnType<typeof startCallers>>) => Promise<string | undefined>;

const taking = (words: string, attempt: Attempt): Attack => ({
  words,
  isLong: true,
  attempt: async () => attempt(await startCallers()),
});

const endless = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';

export const priceAttacks: readonly Attack[] = [
  ...[null, '', 'free', '49,00', '1e2', '-1'].map((old) => price(old, '9999999')),
  ...['0', '0.00', '147.01', '16.33'].map((now) => price('49.00', now)),
];

export const renamingAttacks: readonly Attack[] = [
  renaming('a grant', 'enroll_student', { email, name: evil, course_id: 5 }),
  renaming('a grant in capitals', 'enroll_student', { email: email.toUpperCase(), name: evil, course_id: 6 }),
  renaming('a second grant', 'enroll_student', { email, name: evil, course_id: 3, even_if_held: true }),
  renaming('no grant', 'enroll_student', { email, name: evil }),
  renaming('a list', 'sync_roster', { students: [{ email, name: evil }], product: 'course 7', confirm: true }),
  renaming('an unenrollment', 'unenroll_student', { email, name: evil, confirm: true }),
  renaming('a revocation', 'revoke_course', { email, name: evil, course_id: 3, confirm: true }),
];

export const takingAttacks: readonly Attack[] = [
  taking('the link of another caller', async ([owner, thief]) => {
    const link = linkIn((await owner?.exported(numbers(10))) ?? '');
    const stolen = (await thief?.read(link)) ?? '';
    return unless(
      stolen.includes('Unknown export') && (await owner?.read(link))?.includes('text/csv') === true,
      stolen,
    );
  }),
  taking('forms of the link of another caller', async ([owner, thief]) => {
    const link = linkIn((await owner?.exported(numbers(10))) ?? '');
    const forms = [
      `${link}/`,
      `${link}?a`,
      `${link}%00`,
      link.toUpperCase(),
      link.replace('exports/', 'exports/../exports/'),
    ];
    const read = await Promise.all(forms.map((form) => thief?.read(form)));
    return unless(!read.join('').includes('text/csv'), read.join(' '));
  }),
  taking('40 reads of a link at the same time', async ([owner, other]) => {
    const link = linkIn((await owner?.exported(numbers(30_000))) ?? '');
    const reads = Array.from({ length: 40 }, () => owner?.read(link));
    const answer = (await other?.exported('SELECT 1 AS one')) ?? '';
    const read = await Promise.all(reads);
    return unless(answer.includes('Exported: 1 row') && read.every((text) => text?.includes('text/csv')), answer);
  }),
  taking('endless exports before the export of another', async ([first, other]) => {
    const order: string[] = [];
    const long = Array.from({ length: 4 }, () =>
      first?.exported(endless).then(
        (text) => order.push(text),
        () => {},
      ),
    );
    await Promise.race(long);
    const answer = (await other?.exported('SELECT 1 AS one')) ?? '';
    const [refused = '', slow = ''] = order;
    return unless(
      answer.includes('Exported: 1 row') &&
        refused.includes('rate_limited') &&
        slow.includes('while others wait') &&
        order.length === 2,
      `${answer} ${order.join(' ')}`,
    );
  }),
];
