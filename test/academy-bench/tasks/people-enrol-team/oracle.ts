import type { Oracle } from '../../task.ts';

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
