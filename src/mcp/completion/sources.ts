import { setTimeout as sleep } from 'node:timers/promises';
import { listBundles } from '../../contract/bundles.ts';
import { listCourses } from '../../contract/courses.ts';
import { listDigitalProducts } from '../../contract/digital-products.ts';
import { type ProductType, productTypes } from '../../contract/products.ts';
import { periodNames } from '../../insights/period.ts';
import { channelRows, productRows } from './searches.ts';
import { type Found, holds, pick, type Typing } from './typing.ts';

/** What an argument can be completed from. Nothing of students: whoever may type a prompt need not see them. */
export type SourceName =
  | 'course_ids'
  | 'course_titles'
  | 'product_titles'
  | 'product_types'
  | 'product_slugs'
  | 'channel_slugs'
  | 'periods'
  | 'timezones';

/** From what each argument is completed; arguments that are not named here are not. */
export type Completes = Readonly<Record<string, SourceName>>;

/** For what is found beside the lists, in milliseconds: less than whoever types waits for all of it. */
const patience = 1_000;

/** From lists that come whole, and then from a search, which also finds what is not published. */
async function titled(
  typing: Typing,
  { rows, types, field }: { rows: Promise<object[]>; types: readonly (ProductType | undefined)[]; field: string },
): Promise<Found> {
  const late = types.map(() => ({ rows: [], more: true }));
  const search = Promise.all(types.map((type) => productRows(typing, type)));
  // Who has the lists is not kept waiting for a search that is slow.
  const [listed, searched] = await Promise.all([rows, Promise.race([search, sleep(patience, late, { ref: false })])]);
  const all = [...listed, ...searched.flatMap((found) => found.rows)];
  const by = field === 'id' ? ['id', 'title'] : ['title'];
  return { values: pick(all, typing.typed, field, by), more: searched.some(({ more }) => more) };
}

/** Both have lessons, and share their ids. */
const courseTypes = ['course', 'challenge'] as const;

async function courseRows({ lists, has }: Typing): Promise<object[]> {
  return has('list_courses') ? await lists.whole(listCourses, {}) : [];
}

async function allTitled({ lists, has, ...typing }: Typing): Promise<object[]> {
  const wanted = [
    courseRows({ lists, has, ...typing }),
    ...(has('list_bundles') ? [lists.whole(listBundles, {})] : []),
    ...(has('list_digital_products') ? [lists.whole(listDigitalProducts, {})] : []),
  ];
  return (await Promise.all(wanted)).flat();
}

/** The runtime's own list leaves UTC out where it stands under another name. */
function timezones(): string[] {
  return [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];
}

function among(names: readonly string[], typed: string): Found {
  return { values: names.filter((name) => holds(typed, name)), more: false };
}

async function slugs(typed: string, searched: Promise<{ rows: object[]; more: boolean }>): Promise<Found> {
  const { rows, more } = await searched;
  return { values: pick(rows, typed, 'slug', ['title', 'name', 'slug']), more };
}

/** What fits the typed text, of each source. */
export const sources: Readonly<Record<SourceName, (typing: Typing) => Promise<Found>>> = {
  course_ids: (typing) => titled(typing, { rows: courseRows(typing), types: courseTypes, field: 'id' }),
  course_titles: (typing) => titled(typing, { rows: courseRows(typing), types: courseTypes, field: 'title' }),
  product_titles: (typing) => titled(typing, { rows: allTitled(typing), types: [undefined], field: 'title' }),
  product_types: async ({ typed }) => among(productTypes, typed),
  product_slugs: (typing) => {
    const type = productTypes.find((name) => name === typing.filledIn.product_type);
    return slugs(typing.typed, productRows(typing, type));
  },
  channel_slugs: (typing) => slugs(typing.typed, channelRows(typing)),
  periods: async ({ typed }) => among(periodNames, typed),
  timezones: async ({ typed }) => among(timezones(), typed.replaceAll(' ', '_')),
};
