import * as z from 'zod';

/**
 * The kind of a response string. `line`: a name or title, shown on one line of at most 200 characters. `block`: free text,
 * shown fenced. `code`: made by the platform, such as a timestamp, status, slug or URL. `by` says who may have typed it, or what it was made of:
 * members are not trusted, admins are.
 */
export interface TextKind {
  readonly kind: 'line' | 'block' | 'code';
  readonly by: 'platform' | 'admin' | 'member';
}

/**
 * Every string of a response is registered here; a test fails for one that is not. A registry instead of `.meta()` keeps
 * it out of JSON Schemas.
 */
export const textKinds = z.registry<TextKind>();

function text(entry: TextKind, description?: string): z.ZodString {
  const plain = z.string();
  return (description === undefined ? plain : plain.describe(description)).register(textKinds, entry);
}

/** A string that the platform makes: it cannot carry a person's own sentence. */
export const code = (description?: string) => text({ kind: 'code', by: 'platform' }, description);

/** An address or slug that the platform makes of what a member typed: words of theirs are in it. */
export const memberCode = (description?: string) => text({ kind: 'code', by: 'member' }, description);

/** A name or title typed by an admin. */
export const line = (description: string) => text({ kind: 'line', by: 'admin' }, description);

/** Free text by an admin, such as a description. */
export const block = (description: string) => text({ kind: 'block', by: 'admin' }, description);

/** A name, address or title typed by a member. */
export const memberLine = (description: string) => text({ kind: 'line', by: 'member' }, description);

/** Free text by a member: a post, an answer. */
export const memberBlock = (description: string) => text({ kind: 'block', by: 'member' }, description);
