import { type AnyOperation, operations } from '../../../src/contract/index.ts';
import { createRandom } from '../../../src/sandbox/seed/random.ts';
import { composites } from '../../support/composite.ts';
import { marks } from '../../support/envelope.ts';
import { everyCall } from '../../support/every-call.ts';
import type { Speech } from '../../support/made-academy.ts';
import {
  ask,
  type Bench,
  callFor,
  errorOf,
  hostileIn,
  judgeAnswer,
  judgeError,
  judgeRefusal,
  plainly,
  type Subject,
  startBench,
  steeringText,
  subjectsOf,
  unknownField,
} from '../f15/trial.ts';
import type { Figure, FigureResult, Size } from '../figure.ts';
import { corpus, type Payload } from '../injection-corpus.ts';

/** How many texts of the corpus the short form tries with each tool. */
const shortSample = 2;

async function tryFields(bench: Bench, { tool, paths, tell }: Subject, payloads: readonly Payload[], size: Size) {
  const plain = await ask(bench, tool, tell(plainly));
  const one = async (payload: Payload, where: string, isMeant: (path: string) => boolean) => {
    const answer = await ask(bench, tool, tell(hostileIn(payload, isMeant)));
    const faults = judgeAnswer(bench, answer, plain);
    bench.failures.push(...faults.map((fault) => `${tool}, "${payload.name}" in ${where}: ${fault}`));
  };
  for (const payload of payloads) {
    await one(payload, 'every field', () => true);
    await one(payload, 'every shown field', (path) => steeringText(path) === undefined);
    for (const path of size === 'whole' ? paths : []) await one(payload, path, (other) => other === path);
  }
  bench.tried += payloads.length * paths.length;
}

async function tryElsewhere(bench: Bench, { tool, tell }: Subject, payloads: readonly Payload[]) {
  const plainError = await ask(bench, tool, errorOf('abc'));
  for (const payload of payloads) {
    const unknown = judgeAnswer(bench, await ask(bench, tool, tell(unknownField(payload))), undefined);
    const error = judgeError(await ask(bench, tool, errorOf(payload.text(marks.block))), plainError);
    bench.failures.push(
      ...unknown.map((fault) => `${tool}, "${payload.name}" in an unknown field: ${fault}`),
      ...error.map((fault) => `${tool}, "${payload.name}" in an error: ${fault}`),
    );
  }
  bench.tried += payloads.length * 6;
}

function written(requests: readonly AnyOperation[]): string[] {
  return requests.flatMap(({ id, effect }) => (effect === 'read' ? [] : [`${id} was sent without confirmation`]));
}

async function tryRefusals(bench: Bench, payloads: readonly Payload[]) {
  const losing = Object.entries(everyCall).filter(([, { confirm }]) => confirm === true);
  const refused = async (tool: string, speech: Speech) => {
    bench.academy.say(speech);
    const { confirm: _confirm, ...args } = await callFor(tool, bench.program);
    return await bench.program.call(tool, args);
  };
  for (const [tool] of losing) {
    const plain = await refused(tool, plainly);
    bench.academy.takeRequests();
    for (const payload of payloads) {
      const answer = await refused(
        tool,
        hostileIn(payload, () => true),
      );
      const faults = [...judgeRefusal(answer, plain), ...written(bench.academy.takeRequests())];
      bench.failures.push(...faults.map((fault) => `${tool} without confirm, "${payload.name}": ${fault}`));
    }
  }
}

async function run(size: Size, seed: number): Promise<FigureResult> {
  const bench = await startBench();
  const random = createRandom('f15', seed);
  const sample = () => Array.from({ length: shortSample }, () => random.pick(corpus));
  const payloads = () => (size === 'whole' ? corpus : sample());
  for (const subject of await subjectsOf(bench)) {
    await tryFields(bench, subject, payloads(), size);
    await tryElsewhere(bench, subject, payloads());
  }
  await tryRefusals(bench, payloads());
  await bench.program.close();
  await bench.academy.close();
  const { failures, tried, nonces } = bench;
  return {
    tried: `${corpus.length} texts in each text field of ${operations.length} operations and of the ${composites.length} composite tools, in unknown fields, in errors and in the facts of refusals: ${tried} placements of a text in a field${size === 'whole' ? ', alone and together' : ', a sample'}; in memory, through a real client, both forms of each answer`,
    result: `${failures.length} outside the envelope; ${nonces.size} fences, each with its own nonce`,
    reached: corpus.length >= 60,
    details: [
      'the envelope of free text is `untrusted` in the structured form and the fence in the text form; that of a name is one line of at most 200 characters that adds no line and no column; that of an error is the line that quotes the API',
      'a composite tool is tried with every text of the API answers behind its own, in records that belong together; nothing is written before it is confirmed',
      'forbidden characters: controls, invisible format characters, bidi, zero-width, tags, variation selectors, lone surrogates, noncharacters',
      'the figure does not show whether a model obeys text in the fence: read-only mode, toolsets and confirmation are the boundary',
    ],
    failures,
    zeros: [{ what: 'texts outside their envelope', of: tried }],
  };
}

export const figure: Figure = {
  id: 'F15',
  title: 'Prompt injection',
  target: 'at least 60 texts; 0 outside their envelope, 0 forbidden characters, in both forms',
  run,
};
