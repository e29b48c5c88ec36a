import { type AnyOperation, operations } from '../../../src/contract/index.ts';
import { composites } from '../../support/composite.ts';
import { toolOf } from '../../support/every-call.ts';
import type { Speech } from '../../support/made-academy.ts';
import { ask, type Bench, plainly } from './trial.ts';
import { ofOne, ofStudent, textsOf } from './whole.ts';

/** A tool, the texts that its answer may contain, and how its academy sends them. */
export interface Subject {
  readonly tool: string;
  readonly paths: readonly string[];
  readonly tell: (speech: Speech) => Speech;
}

const subjectOf = (operation: AnyOperation): Subject => ({
  tool: toolOf(operation),
  paths: textsOf([operation]),
  tell: (speech) => speech,
});

/** The texts of a composite answer are those of the API answers behind it. */
async function wholeSubjects(bench: Bench): Promise<Subject[]> {
  const subjects: Subject[] = [];
  for (const tool of composites) {
    const tell = tool === 'offboard_student' ? ofStudent : ofOne;
    bench.academy.takeRequests();
    await ask(bench, tool, tell(plainly));
    subjects.push({ tool, paths: textsOf(bench.academy.takeRequests()), tell });
  }
  return subjects;
}

/** All tools. */
export async function subjectsOf(bench: Bench): Promise<Subject[]> {
  return [...operations.map(subjectOf), ...(await wholeSubjects(bench))];
}
