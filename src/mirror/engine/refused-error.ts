import type { Refusal, RefusalKind } from './messages.ts';

/** The database refused a statement or an image. The message is for the person who wrote the statement. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly kind: RefusalKind;

  constructor({ kind, message }: Refusal) {
    super(message);
    this.kind = kind;
  }
}
