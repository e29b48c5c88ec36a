import { judgeApart } from './judge/run.ts';
import { switches } from './switches/index.ts';

// npx tsx test/odd/run.ts [switch or class …] [--faults]
// Prints a line for each switch and question; with --faults only those that are WRONG or worse.

const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const isBrief = process.argv.includes('--faults');
const chosen = switches.filter((one) => named.length === 0 || named.includes(one.name) || named.includes(one.class));
if (chosen.length === 0) throw new Error(`no switch or class is called ${named.join(', ')}`);

const counts = new Map<string, number>();
// Printed as they arrive from two lanes.
const rows = await judgeApart(chosen, ({ switches: name, probe, verdict, why }) => {
  const isFault = verdict === 'WRONG' || verdict === 'worse';
  counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  if (isFault || !isBrief) process.stdout.write(`${[name, probe, verdict, why].join(' | ')}\n`);
});
const summary = [...counts].map(([verdict, count]) => `${count} ${verdict}`).join(', ');
process.stdout.write(`${chosen.length} switches, ${rows.length} answers: ${summary}\n`);
process.exit(counts.has('WRONG') || counts.has('worse') ? 1 : 0);
