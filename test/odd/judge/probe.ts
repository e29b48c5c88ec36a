import type { ToolAnswer } from '../../reliability/tool-answer.ts';
import type { OddAcademy } from '../academy/server.ts';
import type { Judged, Terms } from './verdict.ts';

export interface Harness {
  readonly academy: OddAcademy;
  readonly terms: Terms & { readonly trusts: boolean };
  call(tool: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
  /** Email of a student. */
  email(student: number): string;
}

/** One question to one tool, and its true answer. */
export interface Probe {
  /** The tool, and after a slash the variant of the question. */
  readonly name: string;
  judge(harness: Harness): Promise<Judged>;
}
