import type { ToolAnswer } from '../../../reliability/tool-answer.ts';
import type { State } from '../../academy/state.ts';
import type { Harness, Probe } from '../probe.ts';
import { type Judged, record, wrong } from '../verdict.ts';
import { claimOf, judgeClaim } from './writes.ts';

type Args = Record<string, unknown>;

interface Update {
  readonly tool: string;
  readonly args: Args;
  /** Id of the record, and the sent fields. */
  readonly id: number;
  readonly fields: readonly string[];
  recordOf(state: State): Args | undefined;
}

/** Compares the changes that an answer reports with the fields afterwards. */
function judgeUpdate(harness: Harness, answer: ToolAnswer, changed: readonly string[], { id, fields }: Update): Judged {
  const { product, lesson, channel, changed: claimed = [], ...rest } = answer.data ?? {};
  const claim = claimOf(answer);
  const shown = record(product ?? lesson ?? channel).id;
  if (claim === 'applied' && shown !== undefined && Number(shown) !== id) {
    return wrong(`shows record ${shown} as changed instead of ${id}`);
  }
  const dropped = fields.filter((field) => !changed.includes(field));
  const lie = dropped.find((field) => Array.isArray(claimed) && claimed.includes(field));
  if (claim === 'applied' && lie !== undefined) {
    return harness.terms.trusts
      ? { verdict: 'trusted', why: 'as the API said' }
      : wrong(`changed: ${lie}, which is unchanged`);
  }
  const unsaid = dropped.find((field) => !JSON.stringify(rest).includes(field));
  if (claim === 'applied' && changed.length > 0 && unsaid !== undefined && !harness.terms.trusts) {
    return wrong(`applied, without mentioning that ${unsaid} is unchanged`);
  }
  return judgeClaim(harness, answer, changed.length > 0 ? 1 : 0, false);
}

function update(operation: Update): Probe {
  return {
    name: operation.tool,
    judge: async (harness) => {
      const { state } = harness.academy;
      const before = { ...operation.recordOf(state) };
      const answer = await harness.call(operation.tool, operation.args);
      harness.academy.settle();
      const after = operation.recordOf(state) ?? {};
      const changed = operation.fields.filter((field) => before[field] !== after[field]);
      return judgeUpdate(harness, answer, changed, operation);
    },
  };
}

export const updateProbes: readonly Probe[] = [
  update({
    tool: 'update_product',
    args: { product_type: 'course', id_or_slug: '11', title: 'Watercolour Anew', price: '55.00' },
    id: 11,
    fields: ['title', 'price'],
    recordOf: ({ products }) => products[0]?.attributes,
  }),
  update({
    tool: 'update_lesson',
    args: { lesson_id: 702, title: 'Another title', points: 9 },
    id: 702,
    fields: ['title', 'points'],
    recordOf: ({ lessons }) => lessons.find(({ id }) => id === 702)?.fields,
  }),
  update({
    tool: 'update_channel',
    args: { id_or_slug: 'help', name: 'Helpers', description: 'Other words' },
    id: 62,
    fields: ['name', 'description'],
    recordOf: ({ channels }) => channels.find(({ id }) => id === 62)?.fields,
  }),
];
