import type { Operation } from '../contract/operation.ts';
import type { Json } from '../shared/json.ts';
import type { Part, Tool, ToolContext } from './tool.ts';

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

export function undoLines({ writes = [] }: Tool, context: ToolContext): string[] {
  return writes.length === 0 ? [] : [`Undo: ${undoWords(writes, context)}.`];
}

/** The answer of a write, with the id of its change if there is a journal, and whether it can be undone. */
export function withUndo(part: Part, { writes = [] }: Tool, context: ToolContext): Part {
  const { change } = context;
  const { outcome, undo, can_undo } = part.data;
  // A tool that says itself how to undo it, or that nothing changed, is not contradicted.
  const isOwn = (undo ?? can_undo) !== undefined || change.hasWritten !== true;
  const isSaid = isOwn || outcome === 'not_applied' || outcome === 'already_there';
  const own: Json = {
    ...(change.wasJournaled === true && { change_id: change.id }),
    ...(writes.length > 0 && !isSaid && { can_undo: undoWords(writes, context) }),
  };
  const { untrusted, ...others } = part.data;
  return { ...part, data: { ...others, ...own, untrusted } };
}
