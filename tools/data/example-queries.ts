/** A question that people ask, and its statement. */
export type ExampleQuery = Readonly<Record<'question' | 'sql', string>>;

export const exampleQueries: readonly ExampleQuery[] = [
  {
    question: 'revenue by month and currency',
    sql: "SELECT month, currency, decimal_sum(amount) AS revenue, count(*) AS orders FROM orders WHERE status IN ('paid', 'wallet_executed') AND amount_e4 > 0 GROUP BY month, currency ORDER BY month",
  },
  {
    question: 'who holds course 1 and not course 2',
    sql: "SELECT email, since FROM holdings WHERE kind = 'course' AND product_id = 1 AND email_key NOT IN (SELECT email_key FROM holdings WHERE kind = 'course' AND product_id = 2 AND email_key IS NOT NULL)",
  },
  {
    question: 'repeat buyers by month of the first purchase',
    sql: 'SELECT cohort, count(*) AS buyers, sum(orders > 1) AS again FROM (SELECT email_key, min(month) AS cohort, count(DISTINCT order_id) AS orders FROM sales GROUP BY email_key) GROUP BY cohort',
  },
  {
    question: 'who paid in the last 90 days and has completed nothing',
    sql: "SELECT DISTINCT s.email, s.name FROM students s JOIN sales USING (email_key) WHERE sales.day >= date('now', '-90 days') AND s.completion_percent = 0",
  },
  {
    question: 'lessons of each course',
    sql: 'SELECT c.title, count(l.id) AS lessons FROM courses c LEFT JOIN lessons l ON l.course_id = c.id GROUP BY c.id ORDER BY lessons DESC',
  },
];
