import * as z from 'zod';
import { oneLine } from '../../src/clean.ts';
import { type Diagnosis, mendOf, reasons, type Through } from '../../src/insights/diagnosis.ts';
import { isoTime } from '../../src/insights/period.ts';
import type { Product } from '../../src/insights/product-match.ts';
import { anyRecord, listOutput } from '../../src/mcp/output.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import { nameLine, productFacts, productOutput, productText } from './sales-facts.ts';

const throughRow = z.looseObject({
  order: z.string(),
  since: z.string().optional(),
  how: z.enum(['bought', 'granted']),
  via: z.string().optional().describe('The bundle that it came in'),
});

export const diagnosisOutput = listOutput('through', throughRow, {
  email: z.string(),
  product: productOutput,
  holds: z.boolean(),
  reason: z.enum(reasons),
  explanation: z.string(),
  paying_student: z.boolean(),
  mend: anyRecord.describe('tool and arguments of the call that would give access'),
  note: z.string(),
  requests_spent: z.int(),
  as_of: z.string(),
});

function rowOf({ order, since, how, via }: Through): Record<string, unknown> {
  const shown = nameLine(via);
  return { order, ...(since === undefined ? {} : { since }), how, ...(shown === undefined ? {} : { via: shown }) };
}

/** What a person should know beside the judgement. */
function notesOn({ holds, reason }: Diagnosis, { kind }: Product, isPaying: boolean | undefined): string[] {
  return [
    ...(holds || kind !== 'digital_product'
      ? []
      : ['the API cannot grant a digital product alone: grant a bundle that holds it']),
    ...(reason === 'no_student' ? ['enroll_student needs a name too for a new student'] : []),
    ...(isPaying === false
      ? [
          'the API says paying_student false, as of one who never paid or after unenroll_student; whether access depends on it, it does not say',
        ]
      : []),
  ];
}

interface Asked {
  product: Product;
  email: string;
  isPaying: boolean | undefined;
  context: Pick<ToolContext, 'spent' | 'now'>;
}

export function presentDiagnosis(
  diagnosis: Diagnosis,
  { product, email, isPaying, context: { spent, now } }: Asked,
): Presented {
  const { holds, reason, through } = diagnosis;
  const explanation = oneLine(diagnosis.explanation, 500);
  const mend = mendOf(diagnosis, product, email);
  const notes = notesOn(diagnosis, product, isPaying);
  return {
    summary: `${email} ${holds ? 'holds' : 'cannot use'} ${productText(product)}: ${explanation}.`,
    data: {
      email,
      product: productFacts(product),
      holds,
      reason,
      explanation,
      ...(through.length > 0 ? { through: through.map(rowOf) } : {}),
      ...(isPaying === undefined ? {} : { paying_student: isPaying }),
      ...(mend === undefined ? {} : { mend }),
      ...(notes.length > 0 ? { note: notes.join('; ') } : {}),
      requests_spent: spent(),
      as_of: isoTime(Math.floor(now().getTime() / 1000) * 1000),
    },
  };
}
