import type { ToolAnswer } from '../../reliability/tool-answer.ts';
import type { OddAcademy } from '../academy/server.ts';
import type { Judged, Terms } from './verdict.ts';

export interface Rig {
  readonly academy: OddAcademy;
  readonly terms: Terms & { readonly trusts: boolean };
  call(tool: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
  /** Email of a student. */
  email(student: number): string;
}

/** One question to one tool, and what is true of it. */
export interface Probe {
  /** The tool, and after a slash what it is asked for. */
  readonly name: string;
  judge(rig: Rig): Promise<Judged>;
}
