import { oneOf, phrase } from '../../facts.ts';
import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { access, idOf, productNamed } from '../../truth.ts';
import { also, does, misquotes } from '../../wrong.ts';

const bundle = 'Team Licence: Spreadsheets';
const known = ['wesley.brooks@example.com', 'carter.delgado@example.com', 'anais.lefevre@example.com'];
const added = { email: 'mina.aldous@example.com', name: 'Mina Aldous' };

export const check: Check = {
  writes: ({ catalogue }) =>
    [...known.map((email) => ({ email })), added].map((person) =>
      access('enroll', { ...person, bundle_id: idOf(catalogue.bundles.all(), bundle) }),
    ),
  says: () => [oneOf(phrase('hannah.castillo@example.com'), phrase('Hannah Castillo'), phrase('Hannah'))],
  reads: () => [
    productNamed(bundle),
    ...[...known, 'hannah.castillo@example.com'].map((email) => `/api/v1/orders?status=all&user_email=${email}`),
  ],
};

const emails = ['wesley.brooks', 'hannah.castillo', 'carter.delgado', 'anais.lefevre'];

export const oracle: Oracle = async ({ call }) => {
  const [bundle] = (await call('search_products', { query: 'Team Licence', product_type: 'bundle' })).rows('products');
  const students = [
    ...emails.map((name) => ({ email: `${name}@example.com` })),
    { email: 'mina.aldous@example.com', name: 'Mina Aldous' },
  ];
  const plan = await call('sync_roster', { students, product: `bundle ${bundle?.id}` });
  await call('sync_roster', { students, product: `bundle ${bundle?.id}`, confirm: true });
  const held = /Skipped: (\S+@\S+) \(already/.exec(plan.text)?.[1];
  return `Four people have it now. ${held} had it already.`;
};

const wrongs = ['wesley.brooks', 'carter.delgado', 'anais.lefevre'].map((name) => ({ email: `${name}@example.com` }));
const done = 'Four people have it now. hannah.castillo@example.com had it already.';

export const saboteurs: Saboteurs = {
  state: {
    'forgets the new person': does(done, ['sync_roster', { students: wrongs, product: 'bundle 7', confirm: true }]),
    'gives it to who has it': also('enroll_student', {
      email: 'hannah.castillo@example.com',
      bundle_id: 7,
      even_if_held: true,
    }),
    'gives one of them a course too': also('enroll_student', { email: 'wesley.brooks@example.com', course_id: 9 }),
  },
  said: { 'does not say who had it': misquotes('hannah.castillo@example.com had', 'One had') },
};
