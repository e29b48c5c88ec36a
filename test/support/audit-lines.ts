import { readFile } from 'node:fs/promises';
import * as z from 'zod';

const auditLine = z.strictObject({
  time: z.iso.datetime(),
  attempt: z.uuid(),
  caller: z.string(),
  tool: z.string(),
  operation: z.string(),
  ids: z.record(z.string(), z.union([z.string(), z.number()])),
  student: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .optional(),
  outcome: z.enum(['sent', 'applied', 'not_applied', 'outcome_unknown', 'cancelled']),
  request_id: z.string(),
});
export type AuditLine = z.infer<typeof auditLine>;

/** The lines of an audit log; throws for one that is not whole. */
export function parseLines(text: string): AuditLine[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => auditLine.parse(JSON.parse(line)));
}

export async function linesOf(file: string): Promise<AuditLine[]> {
  return parseLines(await readFile(file, 'utf8'));
}
