import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import type { Operation } from './contract/operation.ts';
import { SettingsError, type WriteOutcome } from './errors.ts';
import type { KeyedHash } from './keyed-hash.ts';

/** Who sent a write, and what for. */
export interface Attempt {
  operation: Operation;
  input: Record<string, unknown>;
  tool: string;
  caller: string;
}

export interface OpenEntry {
  /** Completes the line. `requestId` is the API's. */
  close(outcome: WriteOutcome | 'cancelled', requestId: string | undefined): void;
}

/** One line for each time a write is sent: begun before it leaves, completed after. */
export interface AuditLog {
  open(attempt: Attempt): OpenEntry;
  end(): void;
}

export const noAudit: AuditLog = { open: () => ({ close: () => {} }), end: () => {} };

/** Widths of the two values that are completed in place, so that the line keeps its length. */
const outcomeWidth = 'outcome_unknown'.length;
const requestIdWidth = 64;

/** What a line says until its write has ended; after a crash it is what is known. */
const begun = 'sent';

/** A JSON string filled up with blanks behind its closing quote: still JSON, and always of one length. */
function fixed(value: string, width: number): string {
  const safe = value.replace(/[^\x20-\x7e]|["\\]/g, '').slice(0, width);
  return `"${safe}"${' '.repeat(width - safe.length)}`;
}

/**
 * Ids say what was changed. Names, emails and texts do not belong here: the student is a keyed hash, and so is an
 * email that somebody took for a slug.
 */
function idsIn(input: Record<string, unknown>, hashOf: (email: string) => string): Record<string, unknown> {
  const ids = Object.entries(input).filter(
    ([name, value]) =>
      (name.endsWith('_id') && typeof value !== 'object') || name === 'id_or_slug' || name === 'product_type',
  );
  return Object.fromEntries(
    ids.map(([name, value]) => [name, typeof value === 'string' && value.includes('@') ? hashOf(value) : value]),
  );
}

function tail(outcome: string, requestId: string): string {
  return `"outcome":${fixed(outcome, outcomeWidth)},"request_id":${fixed(requestId, requestIdWidth)}}\n`;
}

function open(file: string): number {
  try {
    // Not in append mode: an open line is completed where it stands.
    const descriptor = openSync(file, 'as+', 0o600);
    closeSync(descriptor);
    return openSync(file, 'r+');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SettingsError(`ACADEMY_AUDIT_LOG cannot be written: ${reason}`);
  }
}

/** Where the next line begins. A crash of the machine may have left half a line: it must not swallow the next one. */
function endOfLines(descriptor: number): number {
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1);
  if (size === 0 || (readSync(descriptor, last, 0, 1, size - 1) === 1 && last.toString() === '\n')) return size;
  return size + writeSync(descriptor, '\n', size);
}

/**
 * A file of JSON lines. A line is on the disk before its write is sent; a crash leaves it saying `sent`. One process
 * at a time writes to a file. `hash` stands for a student: with the same key the same student has one hash.
 */
export function createAuditLog(file: string, hash: KeyedHash): AuditLog {
  const descriptor = open(file);
  let end = endOfLines(descriptor);

  const hashOf = (email: string): string => hash(email.toLowerCase());
  const student = ({ email }: Record<string, unknown>) => (typeof email === 'string' ? { student: hashOf(email) } : {});

  return {
    open: ({ operation, input, tool, caller }) => {
      const entry = { time: new Date().toISOString(), attempt: randomUUID(), caller, tool, operation: operation.id };
      const ids = { ids: idsIn(input, hashOf), ...student(input) };
      const head = `${JSON.stringify({ ...entry, ...ids }).slice(0, -1)},`;
      const at = end + Buffer.byteLength(head);
      end += writeSync(descriptor, head + tail(begun, ''), end);
      fsyncSync(descriptor);
      return {
        close: (outcome, requestId = '') => {
          writeSync(descriptor, tail(outcome, requestId), at);
          fsyncSync(descriptor);
        },
      };
    },
    end: () => closeSync(descriptor),
  };
}
