import { failure, notFound, type Reply } from '../academy/call.ts';
import { cut, metaOf } from '../academy/pages.ts';
import type { Page, PageQuestion } from '../academy/rules.ts';
import { communityReads, type Switch } from './switch.ts';

const probes = [
  'find_buyers',
  'find_buyers/week',
  'sales_report/days',
  'list_orders',
  ...communityReads,
  'list_students',
  'student_profile/many',
  'diagnose_access/pending',
];

type Rewrite = (page: Page, question: PageQuestion) => Page | Reply;

function paging(name: string, kind: Switch['kind'], says: string, page: Rewrite, lies?: RegExp): Switch {
  return {
    name: `paging-${name}`,
    class: 'paging',
    kind,
    says,
    probes,
    rules: { page },
    ...(lies === undefined ? {} : { lies }),
  };
}

/** Differences that only tools that read all pages can notice. */
function scanning(name: string, kind: Switch['kind'], says: string, page: Rewrite): Switch {
  const whole = probes.filter((probe) => !['list_orders', 'list_students', 'search_posts'].includes(probe));
  return { ...paging(name, kind, says, page), probes: whole };
}

/** From the second page on, the first six rows repeat those of the previous page. */
function moved({ all, page, size }: PageQuestion) {
  const start = (page - 1) * size;
  const lost = page > 1 ? 6 : 0;
  return [...all.slice(start - lost, start), ...all.slice(start + lost, start + size)];
}

const isBeyond = ({ all, page, size }: PageQuestion) => page > 1 && (page - 1) * size >= all.length;
const lastPage = ({ all, size }: PageQuestion) => Math.max(1, Math.ceil(all.length / size));
/** Fewer rows than requested. */
const capped = (question: PageQuestion, most: number) => ({ ...question, size: Math.min(question.size, most) });

function without(meta: Page['meta'], ...keys: string[]): Page['meta'] {
  return Object.fromEntries(Object.entries(meta ?? {}).filter(([key]) => !keys.includes(key)));
}

const noSuchRecord = /no (such )?student|there is no (student|channel|order)/i;

export const pagingSwitches: readonly Switch[] = [
  paging('no-meta', 'open', 'no meta', ({ shown }) => ({ shown, meta: undefined })),
  paging('no-totals', 'open', 'meta without totals', ({ shown, meta }, { list }) => ({
    shown,
    meta: without(meta, 'total_pages', `total_${list}`),
  })),
  paging('no-total-pages', 'open', 'meta without total_pages', ({ shown, meta }) => ({
    shown,
    meta: without(meta, 'total_pages'),
  })),
  paging('capped', 'open', 'at most 20 rows a page, as meta shows', (_page, question) => {
    const own = capped(question, 20);
    return { shown: cut(own.all, own.page, own.size), meta: metaOf(own) };
  }),
  paging('capped-no-meta', 'open', 'at most 20 rows a page, without meta', (_page, question) => ({
    shown: cut(question.all, question.page, capped(question, 20).size),
    meta: undefined,
  })),
  paging('low-pages', 'departs', 'total_pages one too low', ({ shown, meta }, question) => ({
    shown,
    meta: { ...meta, total_pages: Math.max(1, lastPage(question) - 1) },
  })),
  scanning('low-totals', 'departs', 'the totals of the first page', ({ shown, meta }, { list, size, all }) => ({
    shown,
    meta: { ...meta, total_pages: 1, [`total_${list}`]: Math.min(size, all.length) },
  })),
  paging('zero-totals', 'departs', 'totals of 0', ({ shown, meta }, { list }) => ({
    shown,
    meta: { ...meta, total_pages: 0, [`total_${list}`]: 0 },
  })),
  paging('page-ignored', 'departs', 'always the first page, with the true totals', ({ meta }, { all, size }) => ({
    shown: cut(all, 1, size),
    meta: { ...meta, current_page: 1 },
  })),
  paging('page-ignored-no-meta', 'departs', 'always the first page, without meta', (_page, { all, size }) => ({
    shown: cut(all, 1, size),
    meta: undefined,
  })),
  paging('last-again', 'open', 'the last page repeated beyond the end, without meta', (_page, question) => ({
    shown: cut(question.all, Math.min(question.page, lastPage(question)), question.size),
    meta: undefined,
  })),
  paging(
    'beyond-404',
    'open',
    '404 beyond the end, and no meta',
    ({ shown }, question) => (isBeyond(question) ? notFound() : { shown, meta: undefined }),
    noSuchRecord,
  ),
  paging('beyond-422', 'open', '422 beyond the end, and no meta', ({ shown }, question) =>
    isBeyond(question) ? failure(422, 'invalid_parameter', 'page is not valid') : { shown, meta: undefined },
  ),
  paging(
    'full-404',
    'open',
    'full pages of 20, then 404, and no meta',
    (_page, question) => {
      const own = capped(question, 20);
      return isBeyond(own) ? notFound() : { shown: cut(own.all, own.page, own.size), meta: undefined };
    },
    noSuchRecord,
  ),
  scanning('moving', 'departs', 'rows that move: some on two pages, some on none', ({ meta }, question) => ({
    shown: moved(question),
    meta,
  })),
  scanning('moving-no-total', 'departs', 'rows that move, and only total_pages', ({ meta }, question) => ({
    shown: moved(question),
    meta: without(meta, `total_${question.list}`),
  })),
  scanning('from-zero', 'departs', 'pages counted from 0', (_page, question) => ({
    shown: cut(question.all, question.page + 1, question.size),
    meta: metaOf(question),
  })),
  paging('page-total', 'departs', 'the number of rows of this page as the total', ({ shown, meta }, { list }) => ({
    shown,
    meta: { ...meta, [`total_${list}`]: shown.length },
  })),
  scanning('hole', 'departs', 'the second page empty', ({ shown, meta }, { page }) => ({
    shown: page === 2 ? [] : shown,
    meta,
  })),
];
