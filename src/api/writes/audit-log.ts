import { randomUUID } from 'node:crypto';
import type { Operation } from '../../contract/operation.ts';
import type { WriteOutcome } from '../../shared/errors.ts';
import type { KeyedHash } from '../../shared/keyed-hash.ts';
import { openSegmentedFile } from '../../shared/segmented-file.ts';

interface Attempt {
  operation: Operation;
  input: Record<string, unknown>;
  tool: string;
  caller: string;
  /** The client's trace (W3C Trace Context). */
  traceId?: string | undefined;
}

export type AuditLog = ReturnType<typeof createAuditLog>;
export type OpenEntry = Awaited<ReturnType<AuditLog['open']>>;

/** The outcome in the line before a write. After a crash it is all that is known. */
const begun = 'sent';
const maxRequestId = 64;

/** The API chooses its request ids, so only plain characters are kept. */
export function plainId(requestId = ''): string {
  return requestId.replace(/[^\x20-\x7e]|["\\]/g, '').slice(0, maxRequestId);
}

/** Ids of what was changed. Nothing else may be in the log: an email in the place of a slug is a keyed hash. */
function idsIn(input: Record<string, unknown>, hashOf: (email: string) => string): Record<string, unknown> {
  const ids = Object.entries(input).filter(
    ([name, value]) =>
      (name.endsWith('_id') && typeof value !== 'object') || name === 'id_or_slug' || name === 'product_type',
  );
  return Object.fromEntries(
    ids.map(([name, value]) => [name, typeof value === 'string' && value.includes('@') ? hashOf(value) : value]),
  );
}

/** JSON lines that any number of processes may share: two for each attempt of a write. `hash` identifies a student. */
export function createAuditLog(file: string, hash: KeyedHash, account?: string) {
  const lines = openSegmentedFile(file, 'ACADEMY_AUDIT_LOG', Number.POSITIVE_INFINITY);
  const ofAccount = account === undefined ? {} : { account };

  const hashOf = (email: string): string => hash(email.toLowerCase());
  const student = ({ email }: Record<string, unknown>) => (typeof email === 'string' ? { student: hashOf(email) } : {});

  return {
    open: async ({ operation, input, tool, caller, traceId }: Attempt) => {
      const attempt = randomUUID();
      const add = (entry: object) => lines.append({ time: new Date().toISOString(), attempt, ...ofAccount, ...entry });
      const ids = { ids: idsIn(input, hashOf), ...student(input) };
      const trace = traceId === undefined ? {} : { trace_id: traceId };
      await add({ caller, tool, operation: operation.id, ...ids, ...trace, outcome: begun });
      return {
        close: (outcome: WriteOutcome, requestId: string | undefined): Promise<void> =>
          add({ outcome, request_id: plainId(requestId) }),
      };
    },
    end: lines.close,
  };
}
