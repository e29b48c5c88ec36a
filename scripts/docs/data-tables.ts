import { type Table, tables } from '../../src/mirror/rows/tables.ts';
import { exampleQueries } from '../../tools/data/mirror-answer.ts';
import { code, codeBlock, table } from './markdown.ts';

function row({ name, meaning, columns }: Table): string[] {
  return [code(name), meaning, columns.map((column) => code(column.name)).join(', ')];
}

/** docs/data.md: every table and view with its columns. describe_data shows their meaning. */
export function dataTables(): string {
  return table(['Table', 'What it has', 'Columns'], tables.map(row));
}

/** Texts, and brackets with at most one level in them, which stay on their line; or the blank before a clause. */
const unit = /'[^']*'|\((?:[^()]|\([^()]*\))*\)| (?=(?:FROM|WHERE|GROUP BY|HAVING|ORDER BY|LIMIT|(?:LEFT )?JOIN) )/g;

/** A statement with its clauses on lines of their own. */
export function inLines(sql: string): string {
  return sql.replaceAll(unit, (text) => (text === ' ' ? '\n' : text)).replaceAll('LEFT\nJOIN', 'LEFT JOIN');
}

/** docs/data.md: the questions that describe_data shows, with their statements. */
export function dataQuestionList(): string {
  const parts = exampleQueries.map(
    ({ question, sql }) =>
      `**${question.charAt(0).toUpperCase()}${question.slice(1)}**\n\n${codeBlock('sql', inLines(sql))}`,
  );
  return parts.join('\n\n');
}
