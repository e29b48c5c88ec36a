import { expect, test } from 'vitest';
import { operations } from '../../src/contract/index.ts';
import { inputSchema } from '../../src/contract/operation.ts';
import { connect } from '../support/connect.ts';
import { startGuarded } from '../support/guarded.ts';
import { type Recorder, startRecorder } from '../support/recorder.ts';
import { expectRefusal } from '../support/refusal.ts';
import { start } from '../support/sandbox.ts';

type Row = Record<string, unknown>;

const ana = { email: 'ana@example.com' };
const outlined = { course_id: 1, moves: [], lessons: [{ lesson_id: 1 }] };
const lessonTitled = (title: string) => [{ lesson_id: 1, title }];

/** Every name and title that a tool writes: how it is given, and what the refusal calls it. */
const written: [tool: string, argument: string, args: (text: string) => Row][] = [
  ['create_lesson', 'title', (title) => ({ course_id: 1, title })],
  ['create_lesson', 'lesson_type', (lesson_type) => ({ course_id: 1, title: 'T', lesson_type })],
  ['update_lesson', 'title', (title) => ({ lesson_id: 1, title })],
  ['update_product', 'title', (title) => ({ product_type: 'course', id_or_slug: 1, title })],
  [
    'update_product',
    'join_button_text',
    (join_button_text) => ({ product_type: 'course', id_or_slug: 1, join_button_text }),
  ],
  ['create_channel', 'name', (name) => ({ name })],
  ['update_channel', 'name', (name) => ({ id_or_slug: 1, name })],
  ['enroll_student', 'name', (name) => ({ ...ana, name, course_id: 1 })],
  ['unenroll_student', 'name', (name) => ({ ...ana, name, confirm: true })],
  ['revoke_course', 'name', (name) => ({ ...ana, name, course_id: 1, confirm: true })],
  ['sync_roster', 'students.0.name', (name) => ({ students: [{ ...ana, name }], product: 'course 1', confirm: true })],
  ['plan_course_outline', 'lessons.0.title', (title) => ({ ...outlined, lessons: lessonTitled(title) })],
  [
    'apply_course_outline',
    'lessons.0.title',
    (title) => ({ ...outlined, lessons: lessonTitled(title), base_version: 'x', confirm: true }),
  ],
];

async function academy(): Promise<Recorder & Awaited<ReturnType<typeof connect>>> {
  const recorder = await startRecorder({ status: 404, body: { error: 'none', errors: [] } });
  const settings = { ACADEMY_BASE_URL: recorder.url, ACADEMY_RATE_LIMIT: 'off', ACADEMY_CONFIRM: 'argument' };
  return { ...recorder, ...(await connect(settings)) };
}

const unseen: [character: string, told: string][] = [
  ['\u202e', 'U+202E (right-to-left override)'],
  ['\u200b', 'U+200B (zero width space)'],
  ['\u{e0041}', 'U+E0041 (tag character)'],
  ['\u0007', 'U+0007 (control character)'],
  ['\n', 'U+000A (line feed)'],
  ['\u200d', 'U+200D (zero width joiner)'],
];

/** As hidden, and refused in other words. */
const others = [...'\u2066\u034f\u3164\ufeff\u00ad\u2028\t\u001b\ufffe\u{1d173}', '\ufe0f'];
const halfCharacter = '\ud83d';
const hidden = [...unseen.map(([character]) => character), ...others];
const around = (character: string) => [`Pa${character}id`, `${character}Paid`, `Paid${character}`];

const refusedOneByOne = 'sync_roster';

test.for(written.filter(([tool]) => tool !== refusedOneByOne))(
  '%s refuses invisible characters in %s, and sends nothing',
  async ([tool, name, args]) => {
    const { call, requests } = await academy();
    for (const [character, told] of unseen) {
      const text = expectRefusal(await call(tool, args(`Free${character}Course`)), 'invalid_input');
      expect(text).toContain(`${name}: ${told} cannot be written`);
    }
    for (const title of [...hidden, halfCharacter].flatMap(around)) {
      expect(expectRefusal(await call(tool, args(title)), 'invalid_input')).toContain(`${name}`);
    }
    expect(requests).toEqual([]);
  },
);

test('sync_roster refuses each entry whose name has invisible characters, and sends nothing for it', async () => {
  const { call, writes } = await startGuarded();
  const students = unseen.map(([character], index) => ({
    email: `person${index}@example.com`,
    name: `Free${character}Course`,
  }));
  const { structured } = await call(refusedOneByOne, { students, product: 'course 1', confirm: true });
  const expected = unseen.map(([, told], index) => [
    `${index + 1}. person${index}@example.com`,
    `failed: name: ${told} cannot be written`,
  ]);
  expect(structured?.students).toEqual(Object.fromEntries(expected));
  const placed = hidden.flatMap(around).map((name, index) => ({ email: `placed${index}@example.com`, name }));
  const all = await call(refusedOneByOne, { students: placed, product: 'course 1', confirm: true });
  expect(all.structured?.totals).toEqual({ failed: placed.length });
  for (const name of around(halfCharacter)) {
    const half = { students: [{ ...ana, name }], product: 'course 1', confirm: true };
    expectRefusal(await call(refusedOneByOne, half), 'invalid_input');
  }
  expect(writes()).toEqual([]);
});

test.for(written)('%s accepts emoji and scripts with joiners for %s', async ([tool, , args]) => {
  const { call, requests } = await academy();
  await call(tool, args('\u{1f469}\u200d\u{1f4bb} \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u2764\ufe0f'));
  expect(requests.length).toBeGreaterThan(0);
});

test('no operation writes a name or title with invisible characters', () => {
  for (const operation of operations.filter(({ effect }) => effect !== 'read')) {
    const { shape } = inputSchema(operation);
    for (const name of ['title', 'name'].filter((one) => Object.hasOwn(shape, one))) {
      expect(shape[name as keyof typeof shape], operation.id).toSatisfy(
        (field: { safeParse(value: unknown): { success: boolean } }) => !field.safeParse('a\u200bb').success,
      );
    }
  }
});

test('an email may not contain an invisible character', async () => {
  const { call, requests } = await academy();
  for (const character of ['\u200b', '\u3164', '\u034f', '\ufe0f']) {
    expectRefusal(
      await call('enroll_student', { email: `an${character}a@example.com`, course_id: 1 }),
      'invalid_input',
    );
  }
  expect(requests).toEqual([]);
});

test('free text may contain invisible characters: the person who confirms it judges them', async () => {
  const sandbox = await start();
  const { call } = await connect({ ACADEMY_BASE_URL: sandbox.url, ACADEMY_RATE_LIMIT: 'off' });
  const { isError } = await call('create_lesson', { course_id: 1, title: 'T', content: 'soft\u00adhyphen' });
  expect(isError).toBe(false);
});
