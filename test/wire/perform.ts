import { expect } from 'vitest';
import { connect } from '../support/connect.ts';
import { type Recorder, type Reply, startRecorder } from '../support/recorder.ts';

export const apiKey = 'oracle-key-4f2a9c';

export interface ToolAnswer {
  isError: boolean;
  text: string;
  structured: Record<string, unknown> | undefined;
}

export interface Performed {
  answer: ToolAnswer;
  recorder: Recorder;
}

/** Calls one tool through a real MCP client, against a recorder that answers `reply` to everything. */
export async function perform(
  tool: string,
  toolArguments: Record<string, unknown>,
  reply: Parameters<typeof startRecorder>[0],
  settings: Record<string, string> = {},
): Promise<Performed> {
  const recorder = await startRecorder(reply);
  const environment = {
    ACADEMY_BASE_URL: recorder.url,
    ACADEMY_API_KEY: apiKey,
    ACADEMY_RATE_LIMIT: 'off',
    ACADEMY_PREFLIGHT: 'false',
  };
  const { call } = await connect({ ...environment, ...settings });
  return { answer: await call(tool, toolArguments), recorder };
}

/** The same for a call that must succeed. */
export async function succeed(tool: string, toolArguments: Record<string, unknown>, reply: Reply): Promise<ToolAnswer> {
  const { answer } = await perform(tool, toolArguments, reply);
  expect(answer.isError, answer.text).toBe(false);
  return answer;
}

/** Whether structured content contains a fact anywhere: as a value, within a text, or as a word of a map's key. */
export function holds(value: unknown, fact: string | number): boolean {
  if (typeof value === 'string') return typeof fact === 'string' ? value.includes(fact) : value === String(fact);
  if (typeof value === 'number') return String(value) === String(fact);
  if (Array.isArray(value)) return value.some((item) => holds(item, fact));
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, item]) => key.split(' ').includes(String(fact)) || holds(item, fact));
}

/** Checks both forms of an answer for the same facts: some clients show the model only one form. */
export function expectFacts(answer: ToolAnswer, facts: readonly (string | number)[]): void {
  const missing = facts.flatMap((fact) => [
    ...(holds(answer.structured, fact) ? [] : [`structured lacks ${fact}`]),
    ...(answer.text.includes(String(fact)) ? [] : [`text lacks ${fact}`]),
  ]);
  expect(missing, `${JSON.stringify(answer.structured)}\n${answer.text}`).toEqual([]);
}
