import { studentName } from '../../src/contract/access.ts';
import { getStudentDetails } from '../../src/contract/students.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';

/** The API requires the name; the tool looks it up if it is left out, since a model would invent one. */
export const optionalName = { name: studentName.optional() };

interface Named {
  email: string;
  name?: string | undefined;
}

/** The same input with the name in these details of the student. */
export function nameIn<Input extends Named>(
  { name: known }: { name?: string | undefined },
  input: Input,
): Input & { name: string } {
  const name = input.name ?? known;
  if (typeof name === 'string' && name.trim() !== '') return { ...input, name };
  throw refuseInput(['name is required: the API shows none for this student']);
}

/** The same input with the student's name. One request if it lacks the name. */
export async function withName<Input extends Named>(input: Input, { api }: Pick<ToolContext, 'api'>) {
  const { email, name } = input;
  return nameIn(name === undefined ? await api.call(getStudentDetails, { email }) : {}, input);
}
