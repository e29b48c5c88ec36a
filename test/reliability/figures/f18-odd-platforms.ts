import { judgeApart, pairsOf } from '../../odd/judge/lanes.ts';
import { probesNamed } from '../../odd/judge/probes/index.ts';
import { awayFromUtc, judgeSwitches, type Row } from '../../odd/judge/run.ts';
import { knownWrong } from '../../odd/known-wrong.ts';
import { pairOf, shortForm } from '../../odd/short-form.ts';
import { switches } from '../../odd/switches/index.ts';
import { type Figure, type FigureResult, firstFailures, type Size } from '../figure.ts';

/** test/odd/odd.test.ts asks all of the short form, what is known to be wrong too; here every fifth of the others is enough. */
async function some(): Promise<Row[]> {
  const asked = shortForm.filter((pair, index) => index % 5 === 0 && !knownWrong.includes(pair));
  const rows: Row[] = [];
  for (const one of switches) {
    const questions = asked.filter((pair) => pair.startsWith(`${one.name} `)).map((pair) => pair.split(' ')[1] ?? '');
    if (questions.length > 0) rows.push(...(await awayFromUtc(() => judgeSwitches([one], probesNamed(questions)))));
  }
  return rows;
}

async function run(size: Size): Promise<FigureResult> {
  const rows = size === 'whole' ? await judgeApart(switches) : await some();
  const count = (verdict: Row['verdict']) => rows.filter((row) => row.verdict === verdict).length;
  const faults = rows.filter(({ verdict }) => verdict === 'WRONG' || verdict === 'worse');
  const asked = size === 'whole' ? pairsOf(switches).length : rows.length;
  const others = `${count('right')} right, ${count('told')} say what is missing, ${count('error')} honest errors, ${count('trusted')} repeat what the API claimed`;
  return {
    tried: `${asked} questions to an academy written from the API document alone, with one of ${switches.length} switches turned`,
    result: `${count('WRONG')} silently wrong, ${count('worse')} needlessly in doubt; ${others}`,
    reached: rows.length === asked && faults.length === 0,
    failures: firstFailures(faults.map((row) => `${pairOf(row)}: ${row.verdict}: ${row.why}`)),
    zeros: count('WRONG') === 0 ? [{ what: 'silently wrong answers', of: rows.length }] : [],
  };
}

/** Nothing in it is random. */
export const figure: Figure = {
  id: 'F18',
  title: 'Odd platforms',
  target: 'no answer differs from the truth without saying so',
  run,
};
