import { text } from 'node:stream/consumers';
import { switches } from '../switches/index.ts';
import { probesNamed } from './probes/index.ts';
import { awayFromUtc, judgeSwitches } from './run.ts';

// Reads pairs of switch and question from standard input, and writes a line of JSON with each verdict.

const pairs: string[] = JSON.parse(await text(process.stdin));
const byName = new Map(switches.map((one) => [one.name, one]));

function groups(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const pair of pairs) {
    const [name = '', probe = ''] = pair.split(' ');
    found.set(name, [...(found.get(name) ?? []), probe]);
  }
  return found;
}

await awayFromUtc(async () => {
  for (const [name, probes] of groups()) {
    const one = byName.get(name);
    if (one === undefined) throw new Error(`no switch is called ${name}`);
    await judgeSwitches([one], probesNamed(probes), { end: (row) => process.stdout.write(`${JSON.stringify(row)}\n`) });
  }
});
process.exit(0);
