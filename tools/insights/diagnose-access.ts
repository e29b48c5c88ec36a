import * as z from 'zod';
import { studentEmail } from '../../src/contract/schemas/input-fields.ts';
import { sourceFacts } from '../../src/insights/freshness.ts';
import { ordersOfBundlesAlone } from '../../src/insights/sales/sold-order.ts';
import { type Diagnosis, fixFor, reasons, tellHolder, unpaidText } from '../../src/insights/students/diagnosis.ts';
import { hasUnreadable, unreadableText } from '../../src/insights/unreadable.ts';
import { anyRecord, listOutput, lists, memberText, numbers, texts } from '../../src/mcp/output/output-schemas.ts';
import { bodyWithout } from '../../src/mcp/output/text-format.ts';
import { defineTool, type Presented, type ToolContext } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import { compact } from '../../src/shared/quote-text.ts';
import { type DiagnosisReading, readDiagnosis } from '../../src/workflows/students/diagnose-access.ts';
import { incompleteBecause } from './coverage-text.ts';
import { nameLine, productFacts, productText } from './sales-output.ts';
import * as common from './shared-arguments.ts';

const throughRow = z.looseObject({
  order: z.string(),
  since: z.string().optional(),
  how: z.enum(['bought', 'granted']).optional(),
  via: z.string().optional(),
});

const diagnosisOutput = listOutput('through', throughRow, {
  email: memberText(),
  product: anyRecord,
  holds: z.boolean().optional(),
  reason: z.enum(reasons),
  explanation: z.string(),
  paying_student: z.boolean(),
  /** Tool and arguments of the call that would give access; `first`: what a person does before it. */
  fix: anyRecord,
  ...texts('tell'),
  ...lists('unpaid'),
  ...texts('note'),
  ...numbers('requests_spent'),
  ...texts('as_of'),
});

interface DiagnosisInput extends Omit<DiagnosisReading, 'diagnosis'> {
  email: string;
  context: Pick<ToolContext, 'spent' | 'readAt'>;
}

/** Orders that the answer shows: the first, which says since when, and the newest. */
const maxThrough = 5;

function noteOn(diagnosis: Diagnosis, question: DiagnosisInput): string | undefined {
  const { holds, reason, isHidden, through } = diagnosis;
  const { product, known } = question;
  const { student, spellings = [], namesakes } = known ?? {};
  const isUnseen = known !== undefined && ['never_ordered', 'revoked', 'unclear'].includes(reason);
  const notes = compact([
    namesakes,
    emptyBundleText(diagnosis, question),
    through.length > maxThrough &&
      `through: the first and the last ${maxThrough - 1} of ${through.length} orders; list_orders with user_email has every one`,
    !holds &&
      product.kind === 'digital_product' &&
      'the API cannot grant a digital product alone: grant a bundle that holds it',
    isHidden &&
      reason !== 'not_published' &&
      'the product is not published either: update_product with is_published true publishes it for everyone',
    reason === 'no_student' && 'enroll_student also needs a name for a new student',
    isUnseen &&
      `pending and failed orders were searched under ${spellings.join(', ')}: the search misses an order with other capitals in its email`,
    student?.paying_student === false &&
      'the API returns paying_student false, as it does for a student who never paid and after unenroll_student; it does not document whether access depends on it',
  ]);
  return notes.join('; ') || undefined;
}

/** What is not shown of a bundle that is held through orders that list none of its products. */
function emptyBundleText({ holds, through }: Diagnosis, { product, known }: DiagnosisInput): string | undefined {
  if (!holds || product.kind !== 'bundle') return undefined;
  const alone = new Set(ordersOfBundlesAlone(known?.orders ?? []).map(({ id }) => id));
  if (!through.every(({ order }) => alone.has(order))) return undefined;
  return 'its orders list none of its courses or downloads: whether these are open, or were taken off the orders, is not shown; diagnose_access shows it for each course';
}

/** Why the answer is incomplete; empty if it is complete. */
function problemsOf({ known, refused, unreadable }: DiagnosisInput): string {
  const details = known?.detailsProblem && oneLine(known.detailsProblem, 200);
  return compact([
    known?.problem,
    details && `the details of the student could not be read: ${details}`,
    ...refused.map((part) => `${oneLine(part, 200)} could not be read`),
    // A part that was refused as a whole is named already.
    refused.length === 0 && unreadableText(unreadable),
  ]).join('; ');
}

function verbOf({ holds, reason }: Diagnosis): string {
  if (reason === 'hindered') return 'holds, and may not be able to open,';
  if (reason === 'not_shown_yet') return 'will probably hold';
  if (holds && reason !== 'not_published') return 'holds';
  return reason === 'unclear' ? 'may or may not hold' : 'cannot use';
}

/** Names the newest unpaid order in the first line, if the explanation does not. */
function unpaidClause({ reason, unpaid: [last] }: Diagnosis): string {
  const isExplained = reason === 'order_pending' || reason === 'order_failed';
  return last === undefined || isExplained ? '' : `; ${unpaidText(last)} of it is ${last.status}`;
}

function presentDiagnosis(diagnosis: Diagnosis, question: DiagnosisInput): Presented {
  const { holds, reason, through, isHidden, unpaid } = diagnosis;
  const { product, email, known, unreadable, context } = question;
  const explanation = oneLine(diagnosis.explanation, 500);
  const problem = problemsOf(question);
  // What the API does not show yet makes the answer incomplete.
  const why = problem || (reason === 'not_shown_yet' ? diagnosis.explanation : undefined);
  const hidden = isHidden && reason !== 'not_published' ? '; it is not published either' : '';
  const shown = through.length <= maxThrough ? through : [...through.slice(0, 1), ...through.slice(1 - maxThrough)];
  // A part that was not read, such as whether the product is published, might say otherwise.
  const isKnown = problem === '' && emptyBundleText(diagnosis, question) === undefined;
  return {
    summary: `${problem === '' ? '' : `${incompleteBecause(problem)}: `}${email} ${verbOf(diagnosis)} ${productText(product)}: ${explanation}${hidden}${unpaidClause(diagnosis)}.`,
    data: {
      email,
      product: { ...productFacts(product), is_published: isHidden ? false : undefined },
      // A diagnosis that is not clear must not claim that the student has no access.
      holds: reason === 'unclear' || reason === 'not_shown_yet' ? undefined : holds,
      reason,
      explanation,
      through: shown.map(({ via, ...row }) => ({ ...row, via: nameLine(via) })),
      tell: isKnown ? tellHolder(diagnosis, email) : undefined,
      paying_student: known?.student.paying_student,
      unpaid,
      fix: fixFor(diagnosis, product, email),
      note: noteOn(diagnosis, question),
      coverage: why && {
        complete: false,
        unreadable: hasUnreadable(unreadable) && problem !== '' ? unreadable : undefined,
        stopped: why,
      },
      requests_spent: context.spent(),
      ...sourceFacts([known?.copied], context.readAt()),
    },
    body: bodyWithout('explanation'),
  };
}

export const diagnoseAccess = defineTool({
  name: 'diagnose_access',
  toolset: 'insights',
  title: 'Diagnose access to a product',
  description:
    "Finds out why a student or customer cannot (can't) open, see, watch or access (permission, locked) a course or module that they bought or paid for; whether they have access, through which order or bundle and since when; the reason (never ordered, unpaid, taken off, not published, ended) and its fix. All that they hold: student_profile.",
  cost: { usually: [4, 8] },
  example: { email: 'freya.hargreaves@example.net', product: 'Write Clearly at Work' },
  effect: 'read',
  alwaysLoad: true,
  carriesUserContent: true,
  input: z.strictObject({ email: studentEmail, product: common.product, product_type: common.productType }),
  output: diagnosisOutput,
  run: async ({ email, ...question }, context) => {
    const { diagnosis, ...read } = await readDiagnosis(email, question, context);
    return presentDiagnosis(diagnosis, { ...read, email, context });
  },
});
