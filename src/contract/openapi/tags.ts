import type { Operation } from '../operation.ts';

/** The sections of the API document, in its order. The key is the first part of an operation's id. */
const sections: Readonly<Record<string, string>> = {
  account: 'Account',
  courses: 'Courses',
  bundles: 'Bundles',
  digital_products: 'Digital products',
  products: 'Unified products',
  community: 'Community',
  orders: 'Orders',
  students: 'Students',
  access: 'Student access management',
};

export const tags = Object.values(sections).map((name) => ({ name }));

export function tagOf({ id }: Operation): string {
  const [section = ''] = id.split('.');
  return sections[section] ?? section;
}
