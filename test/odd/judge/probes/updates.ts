import type { ToolAnswer } from '../../../reliability/tool-answer.ts';
import type { State } from '../../academy/state.ts';
import type { Probe, Rig } from '../probe.ts';
import { type Judged, record, wrong } from '../verdict.ts';
import { claimOf, judgeClaim } from './writes.ts';

type Args = Record<string, unknown>;

interface Update {
  readonly tool: string;
  readonly args: Args;
  /** Id of the record, and the fields that are sent. */
  readonly id: number;
  readonly fields: readonly string[];
  recordOf(state: State): Args | undefined;
}

/** What an answer says that it changed, held to the fields as they then are. */
function judgeUpdate(rig: Rig, answer: ToolAnswer, changed: readonly string[], { id, fields }: Update): Judged {
  const { product, lesson, channel, changed: claimed = [], ...rest } = answer.data ?? {};
  const claim = claimOf(answer);
  const shown = record(product ?? lesson ?? channel).id;
  if (claim === 'applied' && shown !== undefined && Number(shown) !== id) {
    return wrong(`shows record ${shown} as the one that was changed, which is ${id}`);
  }
  const dropped = fields.filter((field) => !changed.includes(field));
  const lie = dropped.find((field) => Array.isArray(claimed) && claimed.includes(field));
  if (claim === 'applied' && lie !== undefined) {
    return rig.terms.trusts
      ? { verdict: 'trusted', why: 'as the API said' }
      : wrong(`changed: ${lie}, which is as before`);
  }
  const unsaid = dropped.find((field) => !JSON.stringify(rest).includes(field));
  if (claim === 'applied' && changed.length > 0 && unsaid !== undefined && !rig.terms.trusts) {
    return wrong(`applied, and not a word of ${unsaid}, which is as before`);
  }
  return judgeClaim(rig, answer, changed.length > 0 ? 1 : 0, false);
}

function update(asked: Update): Probe {
  return {
    name: asked.tool,
    judge: async (rig) => {
      const { state } = rig.academy;
      const before = { ...asked.recordOf(state) };
      const answer = await rig.call(asked.tool, asked.args);
      rig.academy.settle();
      const after = asked.recordOf(state) ?? {};
      const changed = asked.fields.filter((field) => before[field] !== after[field]);
      return judgeUpdate(rig, answer, changed, asked);
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
