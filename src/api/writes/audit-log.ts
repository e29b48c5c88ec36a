import { randomUUID } from 'node:crypto';
import type { Operation } from '../../contract/operation.ts';
import type { WriteOutcome } from '../../shared/errors.ts';
import type { KeyedHash } from '../../shared/keyed-hash.ts';
import { openSegmentedFile } from '../../shared/segmented-file.ts';

/** One attempt of a write, and who sent it for which tool. */
interface Attempt {
  operation: Operation;
  input: Record<string, unknown>;
  tool: string;
  caller: string;
  /** The client's trace (W3C Trace Context). */
  traceId?: string | undefined;
}

export interface OpenEntry {
  /** Adds the line with the outcome. `requestId` is the API's. */
  close(outcome: WriteOutcome | 'cancelled', requestId: string | undefined): Promise<void>;
}

/** Two lines per attempt of a write, before it is sent and with its outcome, joined by `attempt`. */
export interface AuditLog {
  open(attempt: Attempt): Promise<OpenEntry>;
  end(): Promise<void>;
}

export const noAudit: AuditLog = { open: async () => ({ close: async () => {} }), end: async () => {} };

/** The outcome in the line before a write. After a crash it is all that is known. */
const begun = 'sent';
const maxRequestId = 64;

/** The API chooses its request ids, so only plain characters are kept. */
export function plainId(requestId = ''): string {
  return requestId.replace(/[^\x20-\x7e]|["\\]/g, '').slice(0, maxRequestId);
}

/**
 * Ids of what was changed. Names, emails and texts must not be in the log: a student is a keyed hash, and so is an
 * email in the place of a slug.
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

/**
 * A file of JSON lines that any number of processes may share. The first line of a write is on disk before the write is
 * sent. `hash` identifies a student: with the same key the same student has one hash. `account`: the account of an
 * accounts file whose writes these are. Throws `SettingsError` for a file that is unsafe or not writable.
 */
export function createAuditLog(file: string, hash: KeyedHash, account?: string): AuditLog {
  const lines = openSegmentedFile(file, 'ACADEMY_AUDIT_LOG', Number.POSITIVE_INFINITY);
  const ofAccount = account === undefined ? {} : { account };

  const hashOf = (email: string): string => hash(email.toLowerCase());
  const student = ({ email }: Record<string, unknown>) => (typeof email === 'string' ? { student: hashOf(email) } : {});

  return {
    open: async ({ operation, input, tool, caller, traceId }) => {
      const attempt = randomUUID();
      const add = (entry: object) => lines.append({ time: new Date().toISOString(), attempt, ...ofAccount, ...entry });
      const ids = { ids: idsIn(input, hashOf), ...student(input) };
      const trace = traceId === undefined ? {} : { trace_id: traceId };
      await add({ caller, tool, operation: operation.id, ...ids, ...trace, outcome: begun });
      return {
        close: (outcome, requestId) => add({ outcome, request_id: plainId(requestId) }),
      };
    },
    end: lines.close,
  };
}
