import type { WriteId } from '../contract/index.ts';
import type { Operation } from '../contract/operation.ts';
import { isObject, type Json } from '../shared/json.ts';
import { mapAnswer, type Presented, type Tool, type ToolContext } from './tool.ts';

const restored = 'the old values can be written back, as far as the API shows them';
const regranted = 'enroll_student can grant it again, as a new order of amount 0, not the old one';
const gone = 'the deleted progress cannot be restored';

/** How each write can be undone, in a few words: true with a journal and without. */
const words: Readonly<Record<WriteId, string>> = {
  'courses.createLesson': 'update_lesson can unpublish it; nothing deletes it',
  'courses.updateLesson': restored,
  'products.updateProduct': restored,
  'community.createChannel': 'update_channel can lock it; nothing deletes it',
  'community.updateChannel': restored,
  'access.enrollStudent': 'a revocation takes it off every order that lists it; the empty order stays',
  'access.unenrollStudent': 'nothing sets paying_student back for certain',
  'access.revokeCourse': regranted,
  'access.revokeBundle': regranted,
  'access.grantRole': 'revoke_role takes it back',
  'access.revokeRole': 'grant_role gives it back',
  'access.resetCourseProgress': gone,
  'access.resetBundleProgress': gone,
};

/** Whether and how writes can be undone: by `undo_change` if the caller has it, else by hand. */
export function undoWords(operations: readonly Operation[], { has }: Pick<ToolContext, 'has'>): string {
  const how = has('undo_change') ? 'by undo_change' : 'by hand';
  const texts = (isPossible: boolean) =>
    operations.filter(({ undo }) => (undo !== 'none') === isPossible).map(({ id }) => words[id as WriteId]);
  const possible = [...new Set(texts(true))].join('; ');
  return [...(possible === '' ? [] : [`${how}: ${possible}`]), ...new Set(texts(false))].join('; ');
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
  const isSaid = 'undo' in presented.data || outcome === 'not_applied' || outcome === 'already_there';
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
