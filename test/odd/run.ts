import { judgeAll } from './judge/run.ts';
import { switches } from './switches/index.ts';

// npx tsx test/odd/run.ts [switch or class …] [--wrong]
// Prints a line for each switch and question; with --wrong only those that are WRONG or worse.

const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const isShort = process.argv.includes('--wrong');
const chosen = switches.filter((one) => named.length === 0 || named.includes(one.name) || named.includes(one.class));
if (chosen.length === 0) throw new Error(`no switch or class ${named.join(', ')}`);

const rows = await judgeAll(chosen, ({ switches: names, probe, verdict, why }) => {
  const isFault = verdict === 'WRONG' || verdict === 'worse';
  if (!isShort || isFault) process.stdout.write(`${[names, probe, verdict, why].join(' | ')}\n`);
});
const counts = new Map<string, number>();
for (const { verdict } of rows) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
process.stdout.write(
  `${chosen.length} switches, ${rows.length} answers: ${[...counts].map(([verdict, count]) => `${count} ${verdict}`).join(', ')}\n`,
);
process.exit(counts.has('WRONG') || counts.has('worse') ? 1 : 0);
