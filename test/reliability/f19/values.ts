import { callMessage, initialize } from '../../support/http-server.ts';
import { createCaller } from '../http/caller.ts';
import { type Attack, type Ground, unless } from './attack.ts';

// Prices and names that change without a word, and exports that one caller takes from another.

const price = (old: unknown, now: string): Attack => ({
  point: 21,
  words: `a price of ${now} instead of ${JSON.stringify(old)}`,
  attempt: async (ground) => {
    const product = (shown: unknown) => ({ product: { id: 5, title: 'T', attributes: { price: shown } } });
    const { call } = await ground.over((_url, { method }) => product(method === 'GET' ? old : now));
    const { text } = await call('update_product', { product_type: 'course', id_or_slug: '5', price: now });
    return unless(text.startsWith('Warning: ') && text.split('\n')[0]?.includes(now) === true, text);
  },
});

const email = 'freya.hargreaves@example.net';
const evil = 'Somebody Else';

const renaming = (words: string, tool: string, args: Record<string, unknown>): Attack => ({
  point: 22,
  words: `another name for an existing student by ${words}`,
  attempt: async (ground) => {
    const { call } = await ground.academy({ ACADEMY_CONFIRM: 'argument' });
    await call('enroll_student', { email, name: 'Freya Hargreaves' });
    await call(tool, args);
    const { text } = await call('get_student_details', { email });
    return unless(text.includes('Freya Hargreaves') && !text.includes(evil), text);
  },
});

const tokens = ['first', 'second'].map((word) => `${word}-token-0123456789abcdef`);

/** Two callers of one program with the mirror. */
async function startCallers(ground: Ground) {
  const { url } = await ground.http({ ACADEMY_MIRROR: 'memory', ACADEMY_HTTP_TOKENS: tokens.join(',') });
  let id = 1;
  return await Promise.all(
    tokens.map(async (token) => {
      const caller = createCaller(url, 50);
      ground.keep(caller.close);
      const headers = { authorization: `Bearer ${token}` };
      const { session } = await caller.send(initialize, headers);
      const own = { ...headers, 'mcp-session-id': session };
      const ask = async (message: object) => {
        id += 1;
        return (await caller.send({ jsonrpc: '2.0', ...message, id }, own)).text;
      };
      return {
        exported: (sql: string) => ask(callMessage(0, 'export_data', { sql })),
        read: (uri: string) => ask({ method: 'resources/read', params: { uri } }),
      };
    }),
  );
}

const numbers = (rows: number) =>
  `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT ${rows}) SELECT x, printf('%60d', x) AS y FROM n`;
const linkIn = (text: string) => /academy:\/\/exports\/[\w-]+/.exec(text)?.[0] ?? text;

type Attempt = (callers: Awaited<ReturnType<typeof startCallers>>) => Promise<string | undefined>;

const taking = (words: string, attempt: Attempt): Attack => ({
  point: 23,
  words,
  isLong: true,
  attempt: async (ground) => attempt(await startCallers(ground)),
});

const endless = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';

export const valueAttacks: readonly Attack[] = [
  ...[null, '', 'free', '49,00', '1e2', '-1'].map((old) => price(old, '9999999')),
  ...['0', '0.00', '147.01', '16.33'].map((now) => price('49.00', now)),
  renaming('a grant', 'enroll_student', { email, name: evil, course_id: 5 }),
  renaming('a grant in capitals', 'enroll_student', { email: email.toUpperCase(), name: evil, course_id: 6 }),
  renaming('a second grant', 'enroll_student', { email, name: evil, course_id: 3, even_if_held: true }),
  renaming('no grant', 'enroll_student', { email, name: evil }),
  renaming('a list', 'sync_roster', { students: [{ email, name: evil }], product: 'course 7', confirm: true }),
  renaming('an unenrollment', 'unenroll_student', { email, name: evil, confirm: true }),
  renaming('a revocation', 'revoke_course', { email, name: evil, course_id: 3, confirm: true }),
  taking('the link of another caller', async ([owner, thief]) => {
    const link = linkIn((await owner?.exported(numbers(10))) ?? '');
    const stolen = (await thief?.read(link)) ?? '';
    return unless(
      stolen.includes('Unknown export') && (await owner?.read(link))?.includes('text/csv') === true,
      stolen,
    );
  }),
  taking('forms of the link of another caller', async ([owner, thief]) => {
    const link = linkIn((await owner?.exported(numbers(10))) ?? '');
    const forms = [
      `${link}/`,
      `${link}?a`,
      `${link}%00`,
      link.toUpperCase(),
      link.replace('exports/', 'exports/../exports/'),
    ];
    const read = await Promise.all(forms.map((form) => thief?.read(form)));
    return unless(!read.join('').includes('text/csv'), read.join(' '));
  }),
  taking('40 reads of a link at the same time', async ([owner, other]) => {
    const link = linkIn((await owner?.exported(numbers(30_000))) ?? '');
    const reads = Array.from({ length: 40 }, () => owner?.read(link));
    const answer = (await other?.exported('SELECT 1 AS one')) ?? '';
    const read = await Promise.all(reads);
    return unless(answer.includes('Exported: 1 row') && read.every((text) => text?.includes('text/csv')), answer);
  }),
  taking('endless exports before the export of another', async ([first, other]) => {
    const order: string[] = [];
    const long = Array.from({ length: 4 }, () =>
      first?.exported(endless).then(
        (text) => order.push(text),
        () => {},
      ),
    );
    await Promise.race(long);
    const answer = (await other?.exported('SELECT 1 AS one')) ?? '';
    const [refused = '', slow = ''] = order;
    return unless(
      answer.includes('Exported: 1 row') &&
        refused.includes('rate_limited') &&
        slow.includes('while others wait') &&
        order.length === 2,
      `${answer} ${order.join(' ')}`,
    );
  }),
];
