import type { Operation } from '../contract/operation.ts';
import { isObject } from '../shared/json.ts';
import type { Conversation, Presented, Tool, ToolContext } from './tool.ts';

/** Whether a write can be undone, in a few words. */
export function undoWords({ undo, effect, repeat }: Operation): string {
  if (undo === 'restore') return 'undo_change can write back the old values that the API showed';
  if (undo === 'hide') return 'undo_change can only hide it: nothing deletes it';
  if (undo === 'none') return 'it cannot be undone';
  if (effect === 'destroy')
    return 'undo_change can give it back; a product as a new order of amount 0, not the old one';
  if (repeat === 'same_effect') return 'undo_change can take it back';
  return 'undo_change can take it back, if no other order lists it; the empty order stays';
}

function wordsOf({ writes = [] }: Tool): string[] {
  return [...new Set(writes.map(undoWords))];
}

/** The line of a preview. Without a journal nothing can be undone by a tool, and the words of the tool say so. */
export function undoLines(tool: Tool, { journal }: Pick<ToolContext, 'journal'>): string[] {
  const words = journal === undefined ? [] : wordsOf(tool);
  return words.length === 0 ? [] : [`Undo: ${words.join('; ')}.`];
}

/** The answer of a write with the id of its change, and whether it can be undone. */
export function withUndo(presented: Presented, tool: Tool, { change }: Pick<ToolContext, 'change'>): Presented {
  if (change.wasJournaled !== true) return presented;
  const words = wordsOf(tool).join('; ');
  const add = (data: Presented['data']) => {
    // A tool that says itself how to undo it, or that its effect differs, is not contradicted.
    const own = words === '' || 'undo' in data || data.outcome === 'not_applied' ? {} : { can_undo: words };
    const { untrusted, ...others } = data;
    return { ...others, change_id: change.id, ...own, ...(isObject(untrusted) ? { untrusted } : {}) };
  };
  const { cut } = presented;
  const to =
    cut &&
    ((most: number) => {
      const part = cut.to(most);
      return { ...part, data: add(part.data) };
    });
  return { ...presented, data: add(presented.data), ...(cut && to ? { cut: { ...cut, to } } : {}) };
}

/** A conversation has no name of its own: it gets one when it is first asked for. */
const names = new WeakMap<Conversation, string>();

export function conversationName(conversation: Conversation, make: () => string): string {
  const name = names.get(conversation) ?? make();
  names.set(conversation, name);
  return name;
}
