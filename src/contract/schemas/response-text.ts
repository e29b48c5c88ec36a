import * as z from 'zod';

/**
 * What a string of an answer is. `line`: a name or title that somebody chose, shown on one line of at most 200
 * characters. `block`: free text, shown fenced. `code`: the platform's own, such as a timestamp, a status, a slug or a
 * URL. `by` says who may have typed it: members are strangers, admins are colleagues.
 */
export interface TextKind {
  readonly kind: 'line' | 'block' | 'code';
  readonly by: 'platform' | 'admin' | 'member';
}

/**
 * Every string of every answer has its entry here; a test fails for one without. A registry and not `.meta()`, so that
 * it never shows in a JSON Schema.
 */
export const textKinds = z.registry<TextKind>();

function text(entry: TextKind, description?: string): z.ZodString {
  const plain = z.string();
  return (description === undefined ? plain : plain.describe(description)).register(textKinds, entry);
}

/** A string that the platform makes: nobody can put a sentence of their own into it. */
export const code = (description?: string) => text({ kind: 'code', by: 'platform' }, description);

/** A name or title that an admin chose. */
export const line = (description: string) => text({ kind: 'line', by: 'admin' }, description);

/** Free text of an admin, such as a description. */
export const block = (description: string) => text({ kind: 'block', by: 'admin' }, description);

/** A name, address or title that a member chose. */
export const memberLine = (description: string) => text({ kind: 'line', by: 'member' }, description);

/** Free text of a member: a post, an answer. */
export const memberBlock = (description: string) => text({ kind: 'block', by: 'member' }, description);
