import type { Column, Table } from '../../src/mirror/schema/column.ts';
import { tables } from '../../src/mirror/schema/tables.ts';
import { dataQuestions } from './data-questions.ts';
import { code, codeBlock, table } from './markdown.ts';

/** The type of a column in SQL, without its constraints. */
function typeOf({ sql }: Column): string {
  return sql.split(' ')[0] ?? '';
}

function section({ name, meaning, columns, view }: Table): string {
  const rows = columns.map((column) => [code(column.name), typeOf(column), column.meaning ?? '']);
  const isView = view !== undefined;
  const heading = `### ${name}\n\n${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`;
  // The columns of a view are those of its tables.
  const list = isView
    ? rows.map(([column, , means]) => [column ?? '', means ?? ''])
    : rows.map(([column, type, means]) => [column ?? '', type ?? '', means ?? '']);
  return `${heading}\n\n${table(isView ? ['Column', 'Meaning'] : ['Column', 'Type', 'Meaning'], list)}`;
}

/** docs/data.md: every table and view with its columns. */
export function dataTables(): string {
  return tables.map(section).join('\n\n');
}

/** docs/data.md: the questions with their statements. */
export function dataQuestionList(): string {
  const parts = dataQuestions.map(
    ({ question, sql }, index) =>
      `**${index + 1}. ${question.charAt(0).toUpperCase()}${question.slice(1)}**\n\n${codeBlock('sql', sql)}`,
  );
  return parts.join('\n\n');
}
