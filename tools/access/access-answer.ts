import * as z from 'zod';
import { oneLine } from '../../src/clean.ts';
import { acknowledgement } from '../../src/contract/access.ts';
import type { Tolerant } from '../../src/contract/answer.ts';
import { present } from '../../src/mcp/fence.ts';
import { writeOutput } from '../../src/mcp/output.ts';
import type { Presented } from '../../src/mcp/tool.ts';

/** Whom and what an access tool acted on. The API's own answers show nothing of it. */
const accessFields = {
  email: z.string(),
  course_id: z.int(),
  bundle_id: z.int(),
  role_id: z.int(),
  note: z.string(),
};

type Acted = Partial<Record<keyof typeof accessFields, string | number | undefined>>;
type Acknowledgement = Tolerant<z.infer<typeof acknowledgement.schema>>;

export function accessOutput(...names: (keyof typeof accessFields)[]) {
  return writeOutput(Object.fromEntries(['email' as const, ...names].map((name) => [name, accessFields[name]])));
}

/** Anything that the API says beyond "success: true". */
function said(answer: Acknowledgement): Record<string, unknown> {
  const { success, ...others } = present(acknowledgement.schema, answer);
  const api = success === false ? { success, ...others } : others;
  return Object.keys(api).length > 0 ? { api } : {};
}

/** The answer of a student access tool: that it was done, and on whom. */
export function presentAccess(summary: string, acted: Acted, answer: Acknowledgement): Presented {
  const given = Object.entries(acted)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, typeof value === 'string' ? oneLine(value, 500) : value]);
  return {
    summary: oneLine(summary, 500),
    data: { outcome: 'applied', ...Object.fromEntries(given), ...said(answer) },
  };
}
