import { type AnyOperation, operations } from '../../../src/contract/index.ts';
import { createRandom } from '../../../src/sandbox/seed/random.ts';
import { marks } from '../../support/envelope.ts';
import { everyCall, toolOf } from '../../support/every-call.ts';
import { pathsOf } from '../../support/made-answers.ts';
import {
  ask,
  type Bench,
  errorOf,
  hostileIn,
  judgeAnswer,
  judgeError,
  judgeRefusal,
  plainly,
  startBench,
  unknownField,
} from '../f15/trial.ts';
import { type Figure, type FigureResult, firstFailures, type Size } from '../figure.ts';
import { corpus, type Payload } from '../injection-corpus.ts';

/** How many texts of the corpus the short form takes for each tool. */
const shortSample = 4;

/** Every text in every field: in the short form in all fields at once, in the whole one also in each alone. */
async function tryFields(bench: Bench, operation: AnyOperation, payloads: readonly Payload[], size: Size) {
  const tool = toolOf(operation);
  const plain = await ask(bench, operation, plainly);
  const paths = pathsOf(operation.response);
  const one = async (payload: Payload, where: string, isMeant: (path: string) => boolean) => {
    const answer = await ask(bench, operation, hostileIn(payload, isMeant));
    const faults = judgeAnswer(bench, answer, plain);
    bench.failures.push(...faults.map((fault) => `${tool}, "${payload.name}" in ${where}: ${fault}`));
  };
  for (const payload of payloads) {
    await one(payload, 'every field', () => true);
    for (const path of size === 'whole' ? paths : []) await one(payload, path, (other) => other === path);
  }
  bench.tried += payloads.length * paths.length;
}

/** The places of an answer that the contract does not list: unknown fields, and errors. */
async function tryElsewhere(bench: Bench, operation: AnyOperation, payloads: readonly Payload[]) {
  const tool = toolOf(operation);
  const plainError = await ask(bench, operation, errorOf('abc'));
  for (const payload of payloads) {
    const unknown = judgeAnswer(bench, await ask(bench, operation, unknownField(payload)), undefined);
    const error = judgeError(await ask(bench, operation, errorOf(payload.text(marks.block))), plainError);
    bench.failures.push(
      ...unknown.map((fault) => `${tool}, "${payload.name}" in an unknown field: ${fault}`),
      ...error.map((fault) => `${tool}, "${payload.name}" in an error: ${fault}`),
    );
  }
  bench.tried += payloads.length * 6;
}

/** What the one who confirms is shown, with every text that the API shows of the student. */
async function tryRefusals(bench: Bench, payloads: readonly Payload[]) {
  const losing = Object.entries(everyCall).filter(([, { confirm }]) => confirm === true);
  for (const [tool, { confirm: _confirm, ...args }] of losing) {
    bench.academy.say(plainly);
    const plain = await bench.program.call(tool, args);
    for (const payload of payloads) {
      bench.academy.say(hostileIn(payload, () => true));
      const faults = judgeRefusal(await bench.program.call(tool, args), plain);
      bench.failures.push(...faults.map((fault) => `${tool} without confirm, "${payload.name}": ${fault}`));
    }
  }
}

async function run(size: Size, seed: number): Promise<FigureResult> {
  const bench = await startBench();
  const random = createRandom('f15', seed);
  const sample = () => Array.from({ length: shortSample }, () => random.pick(corpus));
  const payloads = () => (size === 'whole' ? corpus : sample());
  for (const operation of operations) {
    await tryFields(bench, operation, payloads(), size);
    await tryElsewhere(bench, operation, payloads());
  }
  await tryRefusals(bench, payloads());
  await bench.program.close();
  bench.academy.close();
  const { failures, tried, nonces } = bench;
  return {
    tried: `${corpus.length} texts in each text field of ${operations.length} operations, in unknown fields, errors and the facts of refusals: ${tried} times a text in a field${size === 'whole' ? ', alone and together' : ', a sample'}; in memory, through a real client, both forms of each answer`,
    result: `${failures.length} outside the envelope; ${nonces.size} fences, each with a nonce of its own`,
    reached: failures.length === 0 && corpus.length >= 60,
    details: [
      'envelope of free text: `untrusted` in the structured form, the fence in the text form; of a name: one line of at most 200 characters that adds neither line nor column; of an error: the line that quotes the API',
      'forbidden characters: controls, format characters that nobody sees, bidi, zero-width, tags, variation selectors, lone surrogates, no characters',
      'it says nothing of whether a model obeys what it reads in the fence: read-only mode, toolsets and confirmation are the boundary',
    ],
    failures: firstFailures(failures.map((failure) => `seed ${seed}, ${failure}`)),
    zeros: failures.length === 0 ? [{ what: 'texts outside their envelope', of: tried }] : [],
  };
}

export const figure: Figure = {
  id: 'F15',
  title: 'Injected texts',
  target: 'at least 60 texts; 0 outside their envelope, 0 forbidden characters, in both forms',
  run,
};
