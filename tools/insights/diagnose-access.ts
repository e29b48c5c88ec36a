import * as z from 'zod';
import { studentEmail } from '../../src/contract/schemas/shared-arguments.ts';
import { defineTool } from '../../src/mcp/tool.ts';
import { readDiagnosis } from '../../src/workflows/students/diagnose-access.ts';
import { diagnosisOutput, presentDiagnosis } from './diagnose-access-result.ts';
import * as common from './shared-arguments.ts';

export const diagnoseAccess = defineTool({
  name: 'diagnose_access',
  toolset: 'insights',
  title: 'Diagnose access to a product',
  description:
    "Finds out why a student or customer can't open, see, watch or access what they bought or paid for (locked); whether they have access, through which order or bundle and since when; the reason (never ordered, unpaid, taken off, not published, not enrolled, ended) and its fix. For all that they hold use student_profile.",
  cost: { requests: [4, 8], when: 'usually' },
  example: { email: 'freya.hargreaves@example.net', product: 'Write Clearly at Work' },
  effect: 'read',
  alwaysLoad: true,
  repeat: 'safe',
  carriesUserContent: true,
  input: z.strictObject({ email: studentEmail, product: common.product, product_type: common.productType }),
  output: diagnosisOutput,
  run: async ({ email, ...question }, context) => {
    const { diagnosis, ...read } = await readDiagnosis(email, question, context);
    return presentDiagnosis(diagnosis, { ...read, email, context });
  },
});
