import { type Table, tables } from '../../src/mirror/rows/tables.ts';
import { exampleQueries } from '../../tools/data/mirror-answer.ts';
import { code, codeBlock, table } from './markdown.ts';

const paid = "status IN ('paid', 'wallet_executed') AND amount_e4 > 0";

/** docs/data.md: questions beyond those that describe_data shows. `test/docs/data-questions.long.test.ts` counts each by hand. */
const moreQuestions: typeof exampleQueries = [
  {
    question: 'who holds both course 1 and course 2',
    sql: "SELECT email, count(*) AS courses FROM holdings WHERE kind = 'course' AND product_id IN (1, 2) GROUP BY email_key HAVING courses = 2",
  },
  {
    question: 'orders and buyers of each product, best sellers first',
    sql: 'SELECT kind, product_id, title, count(*) AS orders, count(DISTINCT email_key) AS buyers FROM sales GROUP BY kind, product_id ORDER BY orders DESC',
  },
  {
    question: 'the best customers: what each has paid, by currency',
    sql: `SELECT email_key, currency, decimal_sum(amount) AS revenue, count(*) AS orders FROM orders WHERE ${paid} GROUP BY email_key, currency ORDER BY sum(amount_e4) DESC LIMIT 50`,
  },
  {
    question: 'students who hold nothing',
    sql: 'SELECT email, name FROM students WHERE email_key NOT IN (SELECT email_key FROM holdings WHERE email_key IS NOT NULL)',
  },
  {
    question: 'orders, revenue and the average order, by country and currency',
    sql: `SELECT country, currency, count(*) AS orders, decimal_sum(amount) AS revenue, round(avg(amount_e4) / 10000, 2) AS average FROM orders WHERE ${paid} GROUP BY country, currency ORDER BY orders DESC`,
  },
  {
    question: 'new students by month',
    sql: 'SELECT month, count(*) AS students FROM students GROUP BY month ORDER BY month',
  },
  {
    question: 'payments that failed or are pending, by people who have paid nothing since',
    sql: "SELECT o.id, o.email, o.status, o.amount, o.currency, o.day FROM orders o WHERE o.status IN ('pending', 'failed') AND NOT EXISTS (SELECT 1 FROM orders p WHERE p.email = o.email AND p.status IN ('paid', 'wallet_executed') AND p.created_ms > o.created_ms) ORDER BY o.created_ms DESC",
  },
  {
    question: 'people who hold products and have never paid',
    sql: "SELECT email, count(*) AS products FROM holdings GROUP BY email_key HAVING sum(how = 'bought') = 0",
  },
  {
    question: 'products that are bought in the same order, as pairs',
    sql: 'SELECT a.title AS one, b.title AS other, count(*) AS orders FROM sales a JOIN sales b USING (order_id) WHERE a.bundle_id IS NULL AND b.bundle_id IS NULL AND (a.kind, a.product_id) < (b.kind, b.product_id) GROUP BY a.kind, a.product_id, b.kind, b.product_id ORDER BY orders DESC',
  },
  {
    question: 'who has completed everything, and when they joined',
    sql: 'SELECT s.email, s.name, s.day AS joined FROM completions c JOIN students s USING (email_key) ORDER BY joined',
  },
  {
    question: 'sales by day of the week (0 is Sunday)',
    sql: `SELECT strftime('%w', day) AS weekday, count(*) AS orders FROM orders WHERE ${paid} GROUP BY weekday`,
  },
  {
    question: 'listed courses without a sale',
    sql: "SELECT product_id, title FROM products WHERE kind = 'course' AND is_listed = 1 AND product_id NOT IN (SELECT product_id FROM sales WHERE kind = 'course')",
  },
  {
    question: 'the last post of each topic of the community, the longest silent first',
    sql: 'SELECT topic_id, topic, channel, author, max(created_at) AS last_post FROM posts GROUP BY topic_id ORDER BY last_post',
  },
  {
    question: 'who writes most in the community',
    sql: 'SELECT author, count(*) AS posts, count(DISTINCT topic_id) AS topics FROM posts GROUP BY author_slug ORDER BY posts DESC LIMIT 20',
  },
  {
    question: 'days from the first to the second purchase, on average',
    sql: 'SELECT count(*) AS buyers, round(avg(second - first), 1) AS days FROM (SELECT email_key, julianday(min(created_at)) AS first, julianday((SELECT created_at FROM sales s2 WHERE s2.email_key = s1.email_key AND s2.order_id <> s1.order_id ORDER BY created_at LIMIT 1)) AS second FROM sales s1 GROUP BY email_key) WHERE second IS NOT NULL',
  },
];

export const dataQuestions: typeof exampleQueries = [...exampleQueries, ...moreQuestions];

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
