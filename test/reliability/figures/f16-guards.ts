import { type MutantSandbox, openMutantSandbox } from '../f16/mutant-sandbox.ts';
import { failingAnyway, type Tried, tryGuards } from '../f16/trial.ts';
import { type Figure, type FigureResult, firstFailures, type Size } from '../figure.ts';
import type { Guard } from '../guards/guard.ts';
import { guards } from '../guards.ts';

/** The minimum share of guards whose removal a test notices. */
const target = 0.97;

/** For the short form: guards whose tests are quick. */
const quick = ['unknown ACADEMY_ variable', 'not sent again after a 500', 'one segment of a path'];

function chosen(size: Size): Guard[] {
  return guards.filter(({ name }) => size === 'whole' || quick.some((words) => name.includes(words)));
}

/** Each mutant sandbox runs its part of the test files unchanged. */
async function baseline(mutantSandboxes: readonly MutantSandbox[], wanted: readonly Guard[]): Promise<Set<string>> {
  const files = [...new Set(wanted.flatMap(({ tests }) => tests))];
  const laneOf = ({ tests }: Guard) => files.indexOf(tests[0] ?? '') % mutantSandboxes.length;
  const parts = mutantSandboxes.map((mutantSandbox, lane) =>
    failingAnyway(
      mutantSandbox,
      wanted.filter((guard) => laneOf(guard) === lane),
    ),
  );
  return new Set((await Promise.all(parts)).flatMap((names) => [...names]));
}

async function run(size: Size): Promise<FigureResult> {
  const wanted = chosen(size);
  const waiting = [...wanted];
  const lanes = size === 'whole' ? 2 : 1;
  const mutantSandboxes = await Promise.all(Array.from({ length: lanes }, openMutantSandbox));
  const failing = await baseline(mutantSandboxes, wanted);
  const tried = (
    await Promise.all(mutantSandboxes.map((mutantSandbox) => tryGuards(mutantSandbox, waiting, failing)))
  ).flat();
  for (const mutantSandbox of mutantSandboxes) await mutantSandbox.close();
  return resultOf(tried);
}

function resultOf(tried: readonly Tried[]): FigureResult {
  const noticed = tried.filter(({ verdict }) => verdict.kind === 'noticed').length;
  const missed = tried.filter(({ verdict }) => verdict.kind === 'passed').map(({ guard }) => guard);
  const failures = tried.flatMap(({ guard, verdict }) =>
    verdict.kind === 'broken' ? [`${guard.name}: ${verdict.why}`] : [],
  );
  return {
    tried: `${tried.length} guards, each removed from a copy of the sources; the tests named for it must fail there, and pass without the change`,
    result: `${noticed} of ${tried.length} noticed (${((noticed / tried.length) * 100).toFixed(1)}%)`,
    reached: failures.length === 0 && noticed / tried.length >= target,
    details: missed.map(({ name, file, tests }) => `not noticed: ${name} (${file}), by ${tests.join(', ')}`),
    failures: firstFailures(failures),
  };
}

export const figure: Figure = {
  id: 'F16',
  title: 'Guards whose removal a test notices',
  target: 'at least 20 guards, at least 97% noticed by a test when removed',
  run,
};
