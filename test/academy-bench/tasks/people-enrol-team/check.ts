import { oneOf, phrase } from '../../facts.ts';
import type { Check } from '../../task.ts';
import { access, idOf, productNamed } from '../../truth.ts';

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
