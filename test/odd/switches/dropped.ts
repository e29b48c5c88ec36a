import { ok } from '../academy/call.ts';
import type { Rules } from '../academy/rules.ts';
import { answering } from './helpers.ts';
import { type Switch, updates } from './switch.ts';

/** Removes fields from an update. */
function dropping(...fields: string[]): Rules {
  return {
    question: ({ body }) => {
      const inner = Object.values(body).filter((value) => typeof value === 'object' && value !== null);
      for (const target of [body, ...inner])
        for (const field of fields) Reflect.deleteProperty(target as object, field);
    },
  };
}

function dropped(name: string, says: string, rules: Rules, trusts = false): Switch {
  return { name: `dropped-${name}`, class: 'dropped fields', kind: 'open', says, probes: updates, rules, trusts };
}

const second = ['price', 'points', 'description'];
const all = [...second, 'title', 'name'];

export const droppedSwitches: readonly Switch[] = [
  dropped('one', 'one field of an update is dropped; the answer shows the old value', dropping(...second)),
  dropped('all', 'all fields of an update are dropped; the answer shows the old record', dropping(...all)),
  dropped(
    'one-silent',
    'one field is dropped, and the answer is empty',
    { ...dropping(...second), ...answering(() => ok(undefined)) },
    true,
  ),
  dropped(
    'one-status',
    'one field is dropped, and the answer says {"success":true}',
    { ...dropping(...second), ...answering(() => ok({ success: true })) },
    true,
  ),
];
