import { structuralLines } from './lines.ts';
import { wrongMessages } from './messages.ts';

/** Something that a client should never write: one line, or several. */
export interface Malformed {
  readonly name: string;
  readonly bytes: Buffer;
  /** The id of a request in it that must be answered with an error. */
  readonly refused?: string;
}

/** All cases written by hand or by rule, without chance. */
export function malformedInputs(): Malformed[] {
  return [...structuralLines(), ...wrongMessages()];
}
