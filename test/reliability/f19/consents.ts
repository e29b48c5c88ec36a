import type { Attack } from './attack.ts';
import { unless } from './attack.ts';

const locked = { ACADEMY_LOCKDOWN: 'true' };
const product = { product_type: 'course', id_or_slug: '1' };
const filler = (length: number) => 'A fine course for everybody. '.repeat(Math.ceil(length / 29)).slice(0, length);

/** Values that must be visible next to a text that could hide them. */
const sly: readonly [words: string, tool: string, args: Record<string, unknown>][] = [
  [
    'an unpublished lesson hidden by its content',
    'update_lesson',
    { lesson_id: 1, content: filler(720), is_published: false },
  ],
  [
    'a published lesson hidden by 20,000 characters',
    'create_lesson',
    { course_id: 1, title: 'New', content: filler(20_000), is_published: true, release_day: 0 },
  ],
  [
    'an unlocked channel hidden by its description',
    'update_channel',
    { id_or_slug: '1', description: filler(3_000), locked: false },
  ],
  [
    'a created channel hidden by its description',
    'create_channel',
    { name: 'New', description: filler(3_000), locked: true, group_id: 1 },
  ],
  [
    'a price hidden by a text that looks like arguments',
    'update_product',
    { ...product, description: '  price: "49.00" -> "49.00"\n'.repeat(60), price: '0.00' },
  ],
  [
    'a price behind 35,000 characters',
    'update_product',
    { ...product, description: filler(35_000), price: '0.01', hidden: true },
  ],
  [
    'a price behind 90,000 line breaks',
    'update_product',
    { ...product, description: '\n'.repeat(90_000), price: '0.02' },
  ],
  [
    'a price hidden by 9,000 tag characters',
    'update_product',
    { ...product, description: '\u{E0041}'.repeat(9_000), price: '0.03' },
  ],
  [
    'unlimited access hidden by a long button text',
    'update_product',
    { ...product, join_button_text: filler(250), days_of_access: 99_999, allow_purchase_from_landing: true },
  ],
  [
    'an enrolled student hidden by a long name',
    'enroll_student',
    { email: 'new.student@example.com', name: filler(250), course_id: 1, bundle_id: 1 },
  ],
];

const isShort = (value: unknown) => typeof value !== 'string' || value.length < 300;

/** Checks that each argument has one line with the complete short value. */
function hiddenOf(text: string, args: Record<string, unknown>): string[] {
  const lines = text.split('\n');
  return Object.entries(args).flatMap(([name, value]) => {
    const own = lines.filter((line) => line.startsWith(`  ${name}: `));
    const isWhole = !isShort(value) || own[0]?.includes(String(value)) === true;
    return own.length === 1 && isWhole ? [] : [`${name} is not shown: ${JSON.stringify(own).slice(0, 200)}`];
  });
}

const policies = ['auto', 'preview', 'human'] as const;

export const argumentAttacks: readonly Attack[] = sly.flatMap(([words, tool, args], index) =>
  policies.map((policy, place) => ({
    point: 6,
    words: `${words}, under ACADEMY_CONFIRM=${policy}`,
    isLong: index % policies.length !== place,
    attempt: async (ground) => {
      const { call, writes } = await ground.academy({ ...locked, ACADEMY_CONFIRM: policy });
      await call('search_posts', { id_or_slug: 3 });
      const { code, text } = await call(tool, args);
      const isRefused = code === 'invalid_input' && text.includes('Split the call');
      const hidden = isRefused ? [] : hiddenOf(text, args);
      const isHeld = hidden.length === 0 && writes().length === 0 && code !== 'ok' && text.length <= 40_000;
      return unless(isHeld, `${code}: ${hidden.join('; ')} ${text}`);
    },
  })),
);

const unseen: readonly [words: string, character: string][] = [
  ['a zero-width space', '\u200B'],
  ['a direction override', '\u202E'],
  ['a direction isolate', '\u2066'],
  ['a tag character', '\u{E0041}'],
  ['a joiner between letters', '\u200D'],
  ['a variation selector after a letter', '\uFE0F'],
  ['a combining grapheme joiner', '\u034F'],
  ['a Hangul filler', '\u3164'],
  ['a byte order mark', '\uFEFF'],
  ['a soft hyphen', '\u00AD'],
  ['a line separator', '\u2028'],
  ['a tab', '\t'],
  ['an escape', '\u001B'],
  ['no character', '\uFFFE'],
  ['a lone surrogate', '\uD83D'],
  ['a musical beam start', '\u{1D173}'],
];

/** Names and titles in every tool that writes one. */
const named: readonly [tool: string, args: (name: string) => Record<string, unknown>][] = [
  ['create_lesson', (title) => ({ course_id: 1, title })],
  ['update_lesson', (title) => ({ lesson_id: 1, title })],
  ['update_product', (title) => ({ ...product, title })],
  ['update_product', (join_button_text) => ({ ...product, join_button_text })],
  ['create_channel', (name) => ({ name })],
  ['update_channel', (name) => ({ id_or_slug: '1', name })],
  ['enroll_student', (name) => ({ email: 'new.student@example.com', name, course_id: 1 })],
  ['unenroll_student', (name) => ({ email: 'new.student@example.com', name, confirm: true })],
  [
    'sync_roster',
    (name) => ({ students: [{ email: 'new.student@example.com', name }], product: 'course 1', confirm: true }),
  ],
  ['plan_course_outline', (title) => ({ course_id: 1, moves: [], lessons: [{ lesson_id: 1, title }] })],
  [
    'apply_course_outline',
    (title) => ({ course_id: 1, moves: [], lessons: [{ lesson_id: 1, title }], base_version: '0', confirm: true }),
  ],
];

export const unseenAttacks: readonly Attack[] = unseen.map(([words, character]) => ({
  point: 7,
  words: `${words} in each written title and name`,
  attempt: async (ground) => {
    const { call, writes } = await ground.academy();
    const written: string[] = [];
    for (const [tool, args] of named) {
      for (const name of [`Pa${character}id`, `${character}Paid`, `Paid${character}`]) {
        const { code, text } = await call(tool, args(name));
        // A list refuses a bad entry by itself, except one that no JSON can carry.
        const isEntry = /: 1 failed\.\n/.test(text) && /"failed: name: .+ cannot be written"/.test(text);
        const isCall = code === 'invalid_input' && /^invalid_input: [\w.]*(name|title|text)\b/.test(text);
        if (!isEntry && !isCall) written.push(`${tool} ${JSON.stringify(name)}: ${code}`);
      }
    }
    return unless(written.length === 0 && writes().length === 0, written.join(', '));
  },
}));
