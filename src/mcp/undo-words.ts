import type { Operation } from '../contract/operation.ts';
import { isObject, type Json } from '../shared/json.ts';
import { mapAnswer, type Presented, type Tool, type ToolContext } from './tool.ts';

/** Whether and how writes can be undone: by `undo_change` if the caller has it, else by hand. */
export function undoWords(
  operations: readonly Pick<Operation, 'undo' | 'undoWith'>[],
  { has }: Pick<ToolContext, 'has'>,
): string {
  const how = has('undo_change') ? 'by undo_change' : 'by hand';
  const words = (isPossible: boolean) =>
    operations.flatMap(({ undo, undoWith = [] }) => ((undo !== 'none') === isPossible ? undoWith : []));
  const possible = [...new Set(words(true))].join('; ');
  return [...(possible === '' ? [] : [`${how}: ${possible}`]), ...new Set(words(false))].join('; ');
}

/** The line of a preview. */
export function undoLines({ writes = [] }: Tool, context: ToolContext): string[] {
  return writes.length === 0 ? [] : [`Undo: ${undoWords(writes, context)}.`];
}

/** The answer of a write, with the id of its change if there is a journal, and whether it can be undone. */
export function withUndo(presented: Presented, { writes = [] }: Tool, context: ToolContext): Presented {
  const { change } = context;
  const { outcome } = presented.data;
  // A tool that says itself how to undo it, or that nothing changed, is not contradicted.
  const isOwn = 'undo' in presented.data || 'can_undo' in presented.data;
  const isSaid = isOwn || outcome === 'not_applied' || outcome === 'already_there';
  const own: Json = {
    ...(change.wasJournaled === true && { change_id: change.id }),
    ...(writes.length > 0 && !isSaid && { can_undo: undoWords(writes, context) }),
  };
  if (Object.keys(own).length === 0) return presented;
  return mapAnswer(presented, ({ summary, data: { untrusted, ...others } }) => ({
    summary,
    data: { ...others, ...own, ...(isObject(untrusted) && { untrusted }) },
  }));
}
