import { studentName } from '../../src/contract/access.ts';
import { getStudentDetails } from '../../src/contract/students.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';

/** The API requires the name; the tool looks it up if it is left out, since a model would invent one. */
export const optionalName = { name: studentName.optional() };

/** The same input with the student's name. One request if it lacks the name. */
export async function withName<Input extends { email: string; name?: string | undefined }>(
  input: Input,
  { api }: Pick<ToolContext, 'api'>,
): Promise<Input & { name: string }> {
  const { email, name } = input;
  if (name !== undefined) return { ...input, name };
  const { name: known } = await api.call(getStudentDetails, { email });
  if (typeof known === 'string' && known.trim() !== '') return { ...input, name: known };
  throw refuseInput(['name is required: the API shows none for this student']);
}
