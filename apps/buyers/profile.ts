import type { Json } from '../../src/shared/json.ts';
import { element } from '../shared/dom.ts';
import { createTable, type Table } from '../shared/table.ts';
import { counted, dayOf, noteIn, number, record, rowsIn, sums, sumsText, text } from '../shared/values.ts';

function holdingOf(row: Json) {
  const via = text(row.via);
  return {
    product: text(row.product) ?? '',
    title: text(row.title) ?? '',
    how: `${text(row.how) ?? ''}${via === undefined ? '' : ` in ${via}`}`,
    since: dayOf(text(row.since)),
    ended: dayOf(text(row.access_ended)),
    percent: number(row.course_completion_percent) ?? number(row.completion_percent),
  };
}

type Holding = ReturnType<typeof holdingOf>;

const byText = (key: 'title' | 'since' | 'how') => (one: Holding, other: Holding) => one[key].localeCompare(other[key]);

const progressOf = ({ percent }: Holding) =>
  percent === undefined
    ? ''
    : element(
        'span',
        {},
        element('meter', { min: 0, max: 100, value: percent, 'aria-hidden': 'true' }),
        ` ${percent}%`,
      );

function tableOf(): Table<Holding> {
  return createTable<Holding>({
    caption: 'Products that this student holds',
    empty: 'This student holds no product.',
    columns: [
      {
        title: 'Product',
        cell: ({ title, product }) => [title || product, title && product],
        compare: byText('title'),
      },
      {
        title: 'How',
        cell: ({ how, since, ended }) => [
          how,
          [since && `since ${since}`, ended && `ended ${ended}`].filter(Boolean).join(', '),
        ],
        compare: byText('since'),
      },
      {
        title: 'Progress',
        cell: (row) => [progressOf(row)],
        compare: (one, other) => (one.percent ?? -1) - (other.percent ?? -1),
        isNumber: true,
      },
    ],
  });
}

export function readProfile(data: Json, email: string) {
  const { student, totals, coverage, note } = data;
  const { bought, granted, unpaid, revenue } = record(totals);
  const table = tableOf();
  table.show(rowsIn(data, 'holds').map(holdingOf));
  const parts = [
    text(record(student).name) ?? '',
    text(record(student).email) ?? email,
    `${counted(number(bought) ?? 0, 'order')} bought`,
    sumsText(sums(revenue)),
    `${number(granted) ?? 0} granted`,
    `${number(unpaid) ?? 0} unpaid`,
  ];
  return {
    // A member chooses the name: as the heading it would read like words of this view.
    heading: 'Student',
    summary: (record(coverage).complete === false ? 'Incomplete: ' : '') + parts.filter(Boolean).join(' · '),
    // The view shows no orders.
    notes: noteIn(note).filter((sentence) => !sentence.startsWith('Orders:')),
    table,
  };
}

export type Profile = ReturnType<typeof readProfile>;
