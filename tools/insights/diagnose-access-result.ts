import * as z from 'zod';
import type { StudentOrders } from '../../src/api/student-orders.ts';
import { asOf } from '../../src/insights/period.ts';
import type { Product } from '../../src/insights/sales/product-match.ts';
import { type Diagnosis, mendOf, reasons, type Through } from '../../src/insights/students/diagnosis.ts';
import { hasUnreadable, type Unreadable, unreadableText } from '../../src/insights/unreadable.ts';
import { anyRecord, listOutput } from '../../src/mcp/output/output-schemas.ts';
import { bodyWithout } from '../../src/mcp/output/text-format.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import { incompleteBecause } from '../../src/workflows/sales/resumable-scan.ts';
import { nameLine, productFacts, productOutput, productText } from './sales-output.ts';

const throughRow = z.looseObject({
  order: z.string(),
  since: z.string().optional(),
  how: z.enum(['bought', 'granted']).optional(),
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
  return {
    order,
    ...(since === undefined ? {} : { since }),
    ...(how === undefined ? {} : { how }),
    ...(shown === undefined ? {} : { via: shown }),
  };
}

interface Asked {
  product: Product;
  email: string;
  /** Undefined: there is no such student. */
  known: StudentOrders | undefined;
  /** Parts of the question that could not be read, and why. */
  refused: readonly string[];
  unreadable: Unreadable;
  context: Pick<ToolContext, 'spent' | 'now'>;
}

/** What a person should know beside the judgement. */
function notesOn({ holds, reason }: Diagnosis, { product, known }: Asked): string[] {
  const { student, spellings = [] } = known ?? {};
  const isUnseen = known !== undefined && ['never_ordered', 'revoked', 'unclear'].includes(reason);
  const notes: [isTrue: boolean, note: string][] = [
    [
      !holds && product.kind === 'digital_product',
      'the API cannot grant a digital product alone: grant a bundle that holds it',
    ],
    [reason === 'no_student', 'enroll_student needs a name too for a new student'],
    [
      isUnseen,
      `pending and failed orders were looked for under ${spellings.join(', ')}: one typed in other capitals would not be seen`,
    ],
    [
      student?.paying_student === false,
      'the API says paying_student false, as of one who never paid or after unenroll_student; whether access depends on it, it does not say',
    ],
  ];
  return notes.flatMap(([isTrue, note]) => (isTrue ? [note] : []));
}

/** What stands there only where there is some of it. */
function factsBeside(diagnosis: Diagnosis, asked: Asked) {
  const { through } = diagnosis;
  const { product, email, known } = asked;
  const isPaying = known?.student.paying_student;
  const mend = mendOf(diagnosis, product, email);
  const notes = notesOn(diagnosis, asked);
  return {
    ...(through.length > 0 ? { through: through.map(rowOf) } : {}),
    ...(isPaying === undefined ? {} : { paying_student: isPaying }),
    ...(mend === undefined ? {} : { mend }),
    ...(notes.length > 0 ? { note: notes.join('; ') } : {}),
  };
}

function coverageOf(problem: string, unreadable: Unreadable) {
  return { complete: false, ...(hasUnreadable(unreadable) ? { unreadable } : {}), stopped: problem };
}

/** Why the answer is not whole; empty where it is. */
function missingIn({ known, refused, unreadable }: Asked): string {
  const parts = refused.map((part) => `${oneLine(part, 200)} could not be read`);
  // What was refused as a whole is named already.
  const values = refused.length > 0 ? '' : unreadableText(unreadable);
  const details =
    known?.detailsProblem === undefined
      ? ''
      : `the details of the student could not be read: ${oneLine(known.detailsProblem, 200)}`;
  return [known?.problem, details, ...parts, values].filter(Boolean).join('; ');
}

/** What cannot be told is no reason to say that somebody cannot use it. */
function verbOf({ holds, reason }: Diagnosis): string {
  if (holds) return 'holds';
  return reason === 'unclear' ? 'may or may not hold' : 'cannot use';
}

export function presentDiagnosis(diagnosis: Diagnosis, asked: Asked): Presented {
  const { holds, reason } = diagnosis;
  const { product, email, context } = asked;
  const explanation = oneLine(diagnosis.explanation, 500);
  const problem = missingIn(asked);
  const { unreadable } = asked;
  return {
    summary: `${problem === '' ? '' : `${incompleteBecause(problem)}: `}${email} ${verbOf(diagnosis)} ${productText(product)}: ${explanation}.`,
    data: {
      email,
      product: productFacts(product),
      holds,
      reason,
      explanation,
      ...factsBeside(diagnosis, asked),
      ...(problem === '' ? {} : { coverage: coverageOf(problem, unreadable) }),
      requests_spent: context.spent(),
      as_of: asOf(context.now()),
    },
    outline: bodyWithout('explanation'),
  };
}
