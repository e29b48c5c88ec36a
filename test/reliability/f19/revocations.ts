import type { NewOrder } from '../../../src/sandbox/state/orders.ts';
import { addOrder, cut, daysAgo, newcomer, refusing } from '../../support/arrange.ts';
import { type Academy, type Attack, firstOf, unless } from './attack.ts';

// Bundle 1 of the sandbox holds courses 1, 7 and 9, and two digital products.

const losses: readonly [words: string, order: Partial<NewOrder>, isLost?: boolean][] = [
  ['a course of it that was bought separately', { courses: [7], amount: '148.00', created_at: daysAgo(50) }],
  ['a course of it that was paid from a wallet', { courses: [9], amount: '79.00', status: 'wallet_executed' }],
  ['a course of it that was granted', { courses: [1], amount: '0.00' }],
  ['a course of it together with another course', { courses: [7, 8], amount: '99.00' }],
  ['a pending order of a course of it', { courses: [7], amount: '55.00', status: 'pending' }],
  ['a failed order of a course of it', { courses: [7], amount: '56.00', status: 'failed' }],
  ['an order of another currency', { courses: [9], amount: '4000', currency: 'JPY' }],
  ['an email in other letter case', { courses: [9], amount: '33.00', user_email: 'INA.Newcomer@Example.com' }],
];

function arranged({ sandbox }: Academy, order: Partial<NewOrder>) {
  const student = newcomer(sandbox);
  const { course_ids: courses = [], digital_product_ids: digital_products = [] } =
    sandbox.academy.catalogue.bundles.get(1) ?? {};
  addOrder(sandbox, student, { bundles: [1], courses, digital_products, amount: '39.00' });
  return { email: student.email, id: addOrder(sandbox, student, order).id };
}

export const extentAttacks: readonly Attack[] = losses.map(([words, order]) => ({
  point: 8,
  words: `revoke_bundle empties ${words}: preview, answer and lost answer name the order`,
  attempt: async (ground) => {
    const academy = await ground.academy();
    const { email, id } = arranged(academy, order);
    const args = { email, bundle_id: 1 };
    const preview = await academy.call('revoke_bundle', args);
    const line = preview.text.split('\n').find((each) => each.includes(`Order ${id} (`));
    const isPaid = order.status === undefined || order.status === 'wallet_executed';
    const isSaid = line !== undefined && (isPaid || line.includes('not paid'));
    for (let times = 0; times < 3; times += 1) {
      academy.between.arm({ name: 'cut', fault: cut, match: (_method, path) => path.endsWith('/revoke-bundle') });
    }
    const lost = await academy.call('revoke_bundle', { ...args, confirm: true });
    return firstOf([
      unless(isSaid, `the preview says of it: ${line}`),
      unless(lost.code === 'outcome_unknown' && lost.text.includes(`Order ${id} (`), `the error: ${lost.text}`),
    ]);
  },
}));

const named: readonly [tool: string, args: Record<string, unknown>, title: RegExp][] = [
  ['enroll_student', { course_id: 1 }, /course_title/],
  ['enroll_student', { bundle_id: 1 }, /bundle_title/],
  ['grant_role', { role_id: 1 }, /role_title/],
  ['revoke_role', { role_id: 1, confirm: true }, /role_title/],
  ['reset_course_progress', { course_id: 1, confirm: true }, /course_title/],
  ['sync_roster', { product: 'course 1', confirm: true }, /"course 1":"[^"]/],
];

export const titleAttacks: readonly Attack[] = named.flatMap(([tool, args, title]) => {
  const ask = async ({ sandbox, call }: Academy) => {
    const { email, name } = newcomer(sandbox);
    return await call(tool, { ...args, ...(tool === 'sync_roster' ? { students: [{ email, name }] } : { email }) });
  };
  return [
    {
      point: 9,
      words: `${tool} with ${Object.keys(args)[0]} answers with an id and no title`,
      attempt: async (ground) => {
        const { code, data, text } = await ask(await ground.academy());
        return unless(code === 'ok' && title.test(JSON.stringify(data)), text);
      },
    },
    {
      point: 9,
      words: `${tool} with ${Object.keys(args)[0]} if titles cannot be read`,
      attempt: async (ground) => {
        const academy = await ground.academy();
        const isTitle = (method: string, path: string) => method === 'GET' && /\/(courses|bundles)(\/|$)/.test(path);
        for (let times = 0; times < 6; times += 1) {
          academy.between.arm({ name: 'no titles', fault: refusing(403), match: isTitle });
        }
        const { code, text } = await ask(academy);
        // Bulk enrollment first checks that the course exists: it reports that, and sends nothing.
        const isHeld = code === 'ok' || (tool === 'sync_roster' && academy.writes().length === 0);
        return unless(isHeld, `${code}: ${text}`);
      },
    },
  ] satisfies Attack[];
});
