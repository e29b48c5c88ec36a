import { type Table, tables } from '../../src/mirror/schema/tables.ts';
import { dataQuestions } from './data-questions.ts';
import { code, codeBlock, table } from './markdown.ts';

function row({ name, meaning, columns }: Table): string[] {
  return [code(name), meaning, columns.map((column) => code(column.name)).join(', ')];
}

/** docs/data.md: every table and view with its columns. describe_data shows their meaning. */
export function dataTables(): string {
  return table(['Table', 'What it has', 'Columns'], tables.map(row));
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

/** How many questions are shown with their statements. */
const shownQuestions = 3;

/** docs/data.md: some questions with their statements, the others in words. */
export function dataQuestionList(): string {
  const shown = dataQuestions
    .slice(0, shownQuestions)
    .map(
      ({ question, sql }) =>
        `**${question.charAt(0).toUpperCase()}${question.slice(1)}**\n\n${codeBlock('sql', inLines(sql))}`,
    );
  const others = dataQuestions.slice(shownQuestions).map(({ question }) => `- ${question}`);
  return [...shown, 'The same tables answer:', others.join('\n')].join('\n\n');
}
