import { runConformance } from './run-suite.ts';

// npm run conformance: the official conformance suite of each protocol version. Exit code 1 if a scenario
// that applies to this server fails.

const results = await runConformance();
const counted = results.filter(({ leftOut }) => leftOut === undefined);
for (const { suite, scenario, checks, problems, leftOut } of results) {
  const mark = problems.length > 0 ? 'FAIL' : 'ok  ';
  const line =
    leftOut === undefined
      ? `${mark} ${suite}: ${scenario}, ${checks} checks`
      : `n/a  ${suite}: ${scenario} (${leftOut})`;
  process.stdout.write(`${line}\n`);
  if (leftOut === undefined) for (const problem of problems) process.stdout.write(`     ${problem}\n`);
}
const failed = counted.filter(({ problems }) => problems.length > 0);
process.stdout.write(`${counted.length - failed.length} of ${counted.length} applicable scenarios pass\n`);
process.exit(failed.length === 0 ? 0 : 1);
