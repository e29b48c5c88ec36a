import { readFile } from 'node:fs/promises';
import * as z from 'zod';

const sentLine = z.strictObject({
  time: z.iso.datetime(),
  attempt: z.uuid(),
  caller: z.string(),
  tool: z.string(),
  operation: z.string(),
  trace_id: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .optional(),
  ids: z.record(z.string(), z.union([z.string(), z.number()])),
  student: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .optional(),
  outcome: z.literal('sent'),
});
const outcomeLine = z.strictObject({
  time: z.iso.datetime(),
  attempt: z.uuid(),
  outcome: z.enum(['applied', 'not_applied', 'outcome_unknown', 'cancelled']),
  request_id: z.string(),
});
const auditLine = z.discriminatedUnion('outcome', [sentLine, outcomeLine]);

type Sent = z.infer<typeof sentLine>;
type Ended = z.infer<typeof outcomeLine>;

/** One attempt of a write: its first line, with the outcome of its second line if there is one. */
export type AuditEntry = Omit<Sent, 'outcome'> & { outcome: 'sent' | Ended['outcome']; request_id: string };

/** Joins the lines of an audit log by `attempt`, in the order of the first ones. Throws for a line that is invalid or belongs to no write. */
export function parseLines(text: string): AuditEntry[] {
  const entries = new Map<string, AuditEntry>();
  for (const written of text.split('\n').filter((line) => line !== '')) {
    const line = auditLine.parse(JSON.parse(written));
    const before = entries.get(line.attempt);
    if ((line.outcome === 'sent') !== (before === undefined)) throw new Error(`out of order: ${written}`);
    if (before !== undefined && before.outcome !== 'sent') throw new Error(`a second outcome: ${written}`);
    if (line.outcome === 'sent') entries.set(line.attempt, { ...line, request_id: '' });
    else if (before !== undefined) Object.assign(before, { outcome: line.outcome, request_id: line.request_id });
  }
  return [...entries.values()];
}

export async function linesOf(file: string): Promise<AuditEntry[]> {
  return parseLines(await readFile(file, 'utf8'));
}
