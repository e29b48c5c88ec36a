import * as z from 'zod';

/**
 * Which strings of an answer people typed in. `line`: a name or title, shown on one line of at most 200
 * characters. `block`: free text, shown fenced. Strings without an entry are the platform's own (timestamps,
 * codes, URLs). Kept in a registry, not in `.meta()`, so that it never shows in a JSON Schema.
 */
export type TextKind = 'line' | 'block';

export const textKinds = z.registry<{ kind: TextKind }>();

/** A name, title or other one-line text that a person chose. */
export function line(description: string) {
  return z.string().describe(description).register(textKinds, { kind: 'line' });
}

/** Free text that a person wrote: a post, an answer, a description. */
export function block(description: string) {
  return z.string().describe(description).register(textKinds, { kind: 'block' });
}
