import { setTimeout as sleep } from 'node:timers/promises';
import { listBundles } from '../../src/contract/bundles.ts';
import { listCourses } from '../../src/contract/courses.ts';
import { listDigitalProducts } from '../../src/contract/digital-products.ts';
import { type ProductType, productTypes } from '../../src/contract/products.ts';
import { periodNames } from '../../src/insights/period.ts';
import {
  type CompletionInput,
  type CompletionSource,
  type Found,
  holds,
  pick,
} from '../../src/mcp/completion/completion-source.ts';
import { channelRows, productRows } from './search-rows.ts';

// What arguments are completed from. Nothing of students: whoever may type a prompt need not see them.

/** For what is found beside the lists, in milliseconds: less than whoever types waits for all of it. */
const patience = 1_000;

/** From lists that come whole, and then from a search, which also finds what is not published. */
async function titled(
  typing: CompletionInput,
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

async function courseRows({ lists, has }: CompletionInput): Promise<object[]> {
  return has('list_courses') ? await lists.whole(listCourses, {}) : [];
}

async function allTitled({ lists, has, ...typing }: CompletionInput): Promise<object[]> {
  const wanted = [
    courseRows({ lists, has, ...typing }),
    ...(has('list_bundles') ? [lists.whole(listBundles, {})] : []),
    ...(has('list_digital_products') ? [lists.whole(listDigitalProducts, {})] : []),
  ];
  return (await Promise.all(wanted)).flat();
}

/** The runtime's own list leaves UTC out where it stands under another name. */
function zoneNames(): string[] {
  return [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];
}

function among(names: readonly string[], typed: string): Found {
  return { values: names.filter((name) => holds(typed, name)), more: false };
}

async function slugs(typed: string, searched: Promise<{ rows: object[]; more: boolean }>): Promise<Found> {
  const { rows, more } = await searched;
  return { values: pick(rows, typed, 'slug', ['title', 'name', 'slug']), more };
}

export const courseIds: CompletionSource = (typing) =>
  titled(typing, { rows: courseRows(typing), types: courseTypes, field: 'id' });

export const courseTitles: CompletionSource = (typing) =>
  titled(typing, { rows: courseRows(typing), types: courseTypes, field: 'title' });

export const productTitles: CompletionSource = (typing) =>
  titled(typing, { rows: allTitled(typing), types: [undefined], field: 'title' });

export const productTypeNames: CompletionSource = async ({ typed }) => among(productTypes, typed);

export const productSlugs: CompletionSource = (typing) => {
  const type = productTypes.find((name) => name === typing.filledIn.product_type);
  return slugs(typing.typed, productRows(typing, type));
};

export const channelSlugs: CompletionSource = (typing) => slugs(typing.typed, channelRows(typing));

export const periods: CompletionSource = async ({ typed }) => among(periodNames, typed);

export const timezones: CompletionSource = async ({ typed }) => among(zoneNames(), typed.replaceAll(' ', '_'));
