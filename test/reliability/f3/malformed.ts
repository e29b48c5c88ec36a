import { structuralLines } from './lines.ts';
import { wrongMessages } from './messages.ts';

/** Input that no client should send: one line, or several. */
export interface Malformed {
  readonly name: string;
  readonly bytes: Buffer;
  /** The id of the contained request that must be answered with an error. */
  readonly refused?: string;
}

/** All cases that are written by hand or by rule, not random. */
export function malformedInputs(): Malformed[] {
  return [...structuralLines(), ...wrongMessages()];
}
