import { guards } from '../guards.ts';
import { openMutantSandbox } from './mutant-sandbox.ts';
import { failingAnyway, tryGuards } from './trial.ts';

// npx tsx test/reliability/f16/try-guards.ts WORDS...
// Tries the guards whose names contain one of the words, and writes nothing. First run: npm run build

const words = process.argv.slice(2);
const wanted = guards.filter(({ name }) => words.some((some) => name.includes(some)));
if (wanted.length === 0) throw new Error('Name guards by words of their names.');
const mutantSandbox = await openMutantSandbox();
const failing = await failingAnyway(mutantSandbox, wanted);
for (const guard of wanted) {
  for (const { verdict } of await tryGuards(mutantSandbox, [guard], failing))
    process.stdout.write(`${guard.name}: ${Object.values(verdict).join(', ')}\n`);
}
await mutantSandbox.close();
