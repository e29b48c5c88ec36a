import type { Guard } from '../guards/guard.ts';
import type { MutantSandbox, Outcome } from './mutant-sandbox.ts';

/** `broken`: no verdict, because the guard was not found, or its tests did not load, did not end or fail unchanged. */
export type Verdict =
  | { readonly kind: 'noticed'; readonly by: string }
  | { readonly kind: 'passed' }
  | { readonly kind: 'broken'; readonly why: string };

export interface Tried {
  readonly guard: Guard;
  readonly verdict: Verdict;
}

/** The names of tests that fail with all guards in place: they would appear to notice every change. */
export async function failingAnyway(mutantSandbox: MutantSandbox, guards: readonly Guard[]): Promise<Set<string>> {
  const failing = new Set<string>();
  for (const { only, files } of baselineRuns(guards)) {
    const { failed, broken } = await mutantSandbox.test(files, { only, bail: false });
    if (broken !== undefined) throw new Error(`unchanged: ${broken}`);
    for (const name of failed) failing.add(name);
  }
  return failing;
}

interface Run {
  readonly files: readonly string[];
  /** Only the tests whose names match. */
  readonly only: string | undefined;
}

/** The tests to run unchanged: whole files for guards without `only`, and the named tests of all other files. */
function baselineRuns(guards: readonly Guard[]): Run[] {
  const filesOf = (some: readonly Guard[]) => [...new Set(some.flatMap(({ tests }) => tests))];
  const whole = filesOf(guards.filter(({ only }) => only === undefined));
  const part = guards.filter(({ only, tests }) => only !== undefined && !tests.every((file) => whole.includes(file)));
  const named = (some: readonly Guard[]) => [...new Set(some.map(({ only }) => `(${only})`))].join('|');
  const [figures, others] = [part.filter(isFigure), part.filter((guard) => !isFigure(guard))];
  const runs = [
    { files: whole, only: undefined },
    { files: filesOf(others), only: named(others) },
    ...figures.map(({ tests, only }) => ({ files: tests, only })),
  ];
  return runs.filter(({ files }) => files.length > 0);
}

const isFigure = ({ tests }: Guard) => tests.some((file) => file.startsWith('test/reliability/'));

function writeOutcomeOf({ failed, passed, broken }: Outcome, failingBefore: ReadonlySet<string>): Verdict {
  const by = failed.find((name) => !failingBefore.has(name));
  if (by !== undefined) return { kind: 'noticed', by };
  if (failed.length > 0) return { kind: 'broken', why: `"${failed[0]}" fails with the guard in place` };
  if (broken !== undefined) return { kind: 'broken', why: broken };
  return passed > 0 ? { kind: 'passed' } : { kind: 'broken', why: 'no test was run' };
}

async function without(
  mutantSandbox: MutantSandbox,
  guard: Guard,
  failingBefore: ReadonlySet<string>,
): Promise<Verdict> {
  const { file, text, instead, tests, only, isBuilt = false } = guard;
  const restore = await mutantSandbox.change(file, text, instead);
  try {
    if (isBuilt && !(await mutantSandbox.build()))
      return { kind: 'broken', why: 'it cannot be built without the guard' };
    return writeOutcomeOf(await mutantSandbox.test(tests, { only, bail: failingBefore.size === 0 }), failingBefore);
  } finally {
    await restore();
    // The next guard must not be tried with the program that was built without this one.
    if (isBuilt) await mutantSandbox.build();
  }
}

/** Removes the guards of a list one by one. Several mutant sandboxes share the list. */
export async function tryGuards(
  mutantSandbox: MutantSandbox,
  waiting: Guard[],
  failingBefore: ReadonlySet<string>,
): Promise<Tried[]> {
  const tried: Tried[] = [];
  for (let guard = waiting.shift(); guard !== undefined; guard = waiting.shift()) {
    const broken = (error: Error): Verdict => ({ kind: 'broken', why: error.message });
    tried.push({ guard, verdict: await without(mutantSandbox, guard, failingBefore).catch(broken) });
  }
  return tried;
}
