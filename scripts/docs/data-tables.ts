import { type Column, type Table, tables } from '../../src/mirror/schema/tables.ts';
import { dataQuestions } from './data-questions.ts';
import { code, codeBlock, table } from './markdown.ts';

/** The type of a column in SQL, without its constraints. */
function typeOf({ sql }: Column): string {
  return sql.split(' ')[0] ?? '';
}

/** The views show columns of orders and of their products. */
const beneathViews = tables.filter(({ name }) => name === 'orders' || name === 'order_items');

/** A column with its type. Those of a view are described where they come from. */
function described(column: Column, isView: boolean): Column {
  const origin = beneathViews.flatMap(({ columns }) => columns).find(({ name }) => name === column.name);
  return isView && origin !== undefined
    ? { ...origin, ...(column.meaning ? { meaning: column.meaning } : {}) }
    : column;
}

function section({ name, meaning, columns, view }: Table): string {
  const rows = columns
    .map((column) => described(column, view !== undefined))
    .map((column) => [code(column.name), typeOf(column), column.meaning ?? '']);
  const sentence = `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`;
  return [`### ${name}`, sentence, table(['Column', 'Type', 'Meaning'], rows)].join('\n\n');
}

/** docs/data.md: every table and view with its columns. */
export function dataTables(): string {
  return tables.map(section).join('\n\n');
}

/** Words that begin a line of a statement. Those in brackets stay in theirs. */
const lineStarts = /^(SELECT|FROM|WHERE|GROUP BY|HAVING|ORDER BY|LIMIT|(LEFT )?JOIN)\b/;

/** A statement with its clauses on lines of their own. */
export function inLines(sql: string): string {
  let depth = 0;
  let isText = false;
  let lines = '';
  for (const [at, character] of [...sql].entries()) {
    if (character === "'") isText = !isText;
    if (!isText && character === '(') depth += 1;
    if (!isText && character === ')') depth -= 1;
    const isEnd = character === ' ' && depth === 0 && !isText && lineStarts.test(sql.slice(at + 1));
    // LEFT and JOIN stay together.
    lines += isEnd && !lines.endsWith('LEFT') ? '\n' : character;
  }
  return lines;
}

/** docs/data.md: the questions with their statements. */
export function dataQuestionList(): string {
  const parts = dataQuestions.map(
    ({ question, sql }, index) =>
      `**${index + 1}. ${question.charAt(0).toUpperCase()}${question.slice(1)}**\n\n${codeBlock('sql', inLines(sql))}`,
  );
  return parts.join('\n\n');
}
