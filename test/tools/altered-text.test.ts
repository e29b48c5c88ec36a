import { expect, test } from 'vitest';
import { withTitles } from '../../src/mcp/titles.ts';
import { type Row, row, rows } from '../support/academy.ts';
import { connectToApi } from '../support/connect.ts';

const points = (...codes: number[]) => String.fromCodePoint(...codes);
const family = points(0x1f468, 0x200d, 0x1f469, 0x200d, 0x1f467);
/** A joiner at the end joins nothing, so it is not shown. */
const hidden = points(0x200d);

async function answerOf(body: Row, tool: string, args: Row) {
  const { call } = await connectToApi({ body });
  const { text, structured } = await call(tool, args);
  const lines = text.split('\n').filter((line) => line.startsWith('altered_for_display'));
  return { text, line: lines.join('\n'), data: row(structured) };
}

test('a record names its texts that are not shown as they are, in both forms', async () => {
  const course = { id: 5, title: `Maths${hidden}`, description: `One.\nTwo${points(0x200b)}.`, slug: 'maths' };
  const { line, data } = await answerOf(course, 'get_course', { course_id: 5 });
  expect(data.title).toBe('Maths');
  expect(data.altered_for_display).toEqual(['title', 'description']);
  expect(line).toBe('altered_for_display (differs from the stored text): 5 title, 5 description');
});

test('a cut name and a collapsed space are altered; line ends, spaces at the ends and needed joiners are not', async () => {
  const titles = [`${family} club`, 'A'.repeat(300), 'Vrai\u00a0?', '  Spaces ', 'Two\nlines'];
  const courses = titles.map((title, index) => ({ id: index + 1, title }));
  const { line, data } = await answerOf({ courses }, 'list_courses', {});
  expect(rows(data.courses).map(({ altered_for_display }) => altered_for_display)).toEqual([
    undefined,
    ['title'],
    ['title'],
    undefined,
    ['title'],
  ]);
  expect(row(rows(data.courses)[0]).title).toBe(`${family} club`);
  expect(line).toBe(
    'altered_for_display (differs from the stored text): courses 2 title, courses 3 title, courses 5 title',
  );
  const description = { id: 5, title: 'T', description: `\r\nOne.\r\nTwo: ${family}.\n` };
  expect((await answerOf(description, 'get_course', { course_id: 5 })).data.altered_for_display).toBeUndefined();
});

test('flat rows name altered fields by the names of the rows', async () => {
  const posts = [
    { id: 1, content: `Hi${hidden}`, topic: { id: 2, title: `T${hidden}` }, author: { name: `Ana${hidden}` } },
  ];
  const found = await answerOf({ posts }, 'search_posts', { id_or_slug: 1 });
  expect(rows(found.data.posts)[0]?.altered_for_display).toEqual(['content', 'topic', 'author']);
  const orders = [{ id: 'a1', amount: '5.00', user_name: `Ana${hidden}`, billing_city: `Oslo${hidden}` }];
  const listed = await answerOf({ orders }, 'list_orders', { detail: 'full' });
  expect(rows(listed.data.orders)[0]?.altered_for_display).toEqual(['name', 'billing_city']);
  expect(listed.line).toContain('orders a1 name, orders a1 billing_city');
});

test('an altered text changes neither the columns nor the number of rows', async () => {
  const courses = [
    { id: 1, title: `A${hidden}`, price: '1.00' },
    { id: 2, title: 'B', price: '2.00' },
  ];
  const { text } = await answerOf({ courses }, 'list_courses', {});
  expect(text.split('\n').slice(-4, -1)).toEqual(['id | title | price', '1 | A | 1.00', '2 | B | 2.00']);
});

test('lessons of a course name their altered titles', async () => {
  const body = {
    course: { id: 9, title: 'C' },
    modules: [{ id: 1, title: `M${hidden}`, lessons: [{ id: 2, title: `L${hidden}`, sequence: 1 }] }],
  };
  const { line, text } = await answerOf(body, 'get_course_structure', { course_id: 9 });
  expect(line).toContain('modules 1 title, lessons 2 title');
  expect(text.split('\n').find((one) => one.startsWith('id | '))).not.toContain('altered');
});

test('a key such as __proto__ is a field like any other', async () => {
  const course = JSON.parse('{"id": 5, "title": "Maths", "__proto__": {"note": "two words"}}') as Row;
  const { text, data } = await answerOf(course, 'get_course', { course_id: 5 });
  expect(data.title).toBe('Maths');
  expect(text).toContain('two words');
  expect(Object.keys(withTitles(course, { course_id: 'Maths' }))).toContain('__proto__');
});
