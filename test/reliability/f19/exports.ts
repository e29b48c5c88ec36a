import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Attack, type Ground, unless } from './attack.ts';

// Results of statements and exports: what a spreadsheet runs, what has no mark, and what runs a tool that the caller lacks.

const settings = { ACADEMY_MIRROR: 'memory' };

/** What a program with other separators or quotes takes for the end of a cell, and blanks before a formula. */
const starts = ['', ' ', '\u00a0', '\u3000', '\t', '\n', 'x;', 'x,', 'x|', 'x\t"', 'x;"', '";"', '1\n', "a'", 'x;" '];
const formulas = ["=cmd|' /C calc'!A0", '+1+1', '-1,2+1', '@SUM(A1)', '＝1+1', '－1+1'];
const runs = /^[\s\u2800]*[=+\-@＝＋－＠]/;

async function exportOf(ground: Ground, texts: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'academy-f19-'));
  ground.keep(() => rm(folder, { recursive: true }));
  const { client } = await ground.academy({ ...settings, ACADEMY_EXPORT_DIR: folder });
  const sql = `SELECT ${texts.map((text) => `'${text.replaceAll("'", "''")}'`).join(', ')}`;
  const answer = await client.callTool({ name: 'export_data', arguments: { sql } });
  const { file } = Object(answer.structuredContent);
  if (typeof file !== 'string') throw new Error(JSON.stringify(answer.content));
  return await readFile(file, 'utf8');
}

const cells = (start: string): Attack => ({
  point: 18,
  words: `formulas behind ${JSON.stringify(start)} in the cells of an export`,
  attempt: async (ground) => {
    const csv = await exportOf(
      ground,
      formulas.map((formula) => start + formula),
    );
    const [, ...row] = csv.split('\r\n');
    const found = row
      .join('')
      .split(/[,;\t\n"]/)
      .filter((cell) => runs.test(cell));
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
  point: 19,
  words: `text of members by ${sql}`,
  attempt: async (ground) => {
    const { client } = await ground.academy({ ...settings });
    await client.callTool({ name: 'refresh_data', arguments: { what: 'posts' } });
    await client.callTool({ name: 'refresh_data', arguments: { what: 'students' } });
    const answer = await client.callTool({ name: 'query_data', arguments: { sql } });
    const { rows, by_members } = Object(answer.structuredContent);
    const [row] = Array.isArray(rows) ? rows : [];
    const plain = Object.entries(Object(row)).filter(
      ([key, value]) => key !== 'untrusted' && typeof value === 'string',
    );
    const isMarked = plain.every(([key]) => Array.isArray(by_members) && by_members.includes(key));
    return unless(isMarked, JSON.stringify(answer.structuredContent));
  },
});

const foreign = (tool: string): Attack => ({
  point: 20,
  words: `${tool} by export_data, of a server without its toolset`,
  attempt: async (ground) => {
    const { client } = await ground.academy({
      ...settings,
      ACADEMY_TOOLSETS: 'data,courses',
      ACADEMY_EXPORT_DIR: tmpdir(),
    });
    const { tools } = await client.listTools();
    const listed = JSON.stringify(tools.find(({ name }) => name === 'export_data')?.inputSchema).includes(tool);
    const answer = await client.callTool({ name: 'export_data', arguments: { tool } });
    return unless(answer.isError === true && !listed, JSON.stringify(answer.content));
  },
});

/** Answers whose only texts of members are where no schema says so. */
const unnamed = (tool: string, args: Record<string, unknown>, field: string): Attack => ({
  point: 19,
  words: `text of members in ${field} of ${tool} ${JSON.stringify(args)}`,
  attempt: async (ground) => {
    const { client } = await ground.academy({ ...settings, ACADEMY_EXPORT_DIR: tmpdir() });
    const { structuredContent, content } = await client.callTool({ name: tool, arguments: args });
    const { by_members, file } = Object(structuredContent);
    if (typeof file === 'string') await rm(file);
    return unless(Array.isArray(by_members) && by_members.includes(field), JSON.stringify(content));
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

const telling = (expression: string): Attack => ({
  point: 24,
  words: `the error of ${expression}`,
  attempt: async (ground) => {
    const { client } = await ground.academy({ ...settings, ACADEMY_LOCKDOWN: 'true' });
    await client.callTool({ name: 'refresh_data', arguments: { what: 'posts' } });
    const sql = `SELECT ${expression} FROM posts`;
    const answer = await client.callTool({ name: 'query_data', arguments: { sql } });
    const text = JSON.stringify(answer.content);
    const write = { product_type: 'course', id_or_slug: '5', title: 'New' };
    const written = JSON.stringify((await client.callTool({ name: 'update_product', arguments: write })).content);
    const read = await client.callTool({ name: 'query_data', arguments: { sql: 'SELECT content FROM posts' } });
    const words = Object(read.structuredContent).rows.flatMap(
      (row: { untrusted?: { content?: string } }) => String(row.untrusted?.content).match(/\w{9,}/g) ?? [],
    );
    const quoted = words.find((word: string) => text.includes(word));
    const isHeld = words.length > 0 && quoted === undefined && written.includes('confirmation_required');
    return unless(isHeld, `${quoted} ${text} ${written}`);
  },
});

export const exportAttacks: readonly Attack[] = [
  ...starts.map(cells),
  ...hidden.map(unmarked),
  unnamed('export_data', { tool: 'sales_report', arguments: { period: 'all_time', group_by: 'country' } }, 'key'),
  unnamed('sales_report', { period: 'all_time', group_by: 'country' }, 'key'),
  unnamed('offboard_student', { email: 'freya.hargreaves@example.net' }, 'plan'),
  ...failing.map(telling),
  ...['list_students', 'find_buyers', 'sales_report'].map(foreign),
  {
    point: 20,
    words: 'an error that repeats a post, before a write under lockdown',
    attempt: async (ground) => {
      const { client } = await ground.academy({ ...settings, ACADEMY_LOCKDOWN: 'true' });
      await client.callTool({
        name: 'query_data',
        arguments: { sql: "SELECT json_extract('{}', content) FROM posts" },
      });
      const write = { product_type: 'course', id_or_slug: '5', title: 'New' };
      const answer = await client.callTool({ name: 'update_product', arguments: write });
      return unless(JSON.stringify(answer.content).includes('confirmation_required'), JSON.stringify(answer.content));
    },
  },
];
