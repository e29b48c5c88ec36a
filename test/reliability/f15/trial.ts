import type { AnyOperation } from '../../../src/contract/index.ts';
import type { TextKind } from '../../../src/contract/schemas/response-text.ts';
import { addedBy, countedLines, envelopeFaults, forbiddenFault, marks, partsOf } from '../../support/envelope.ts';
import { type MadeAcademy, type Speech, saying, startMadeAcademy } from '../../support/made-academy.ts';
import { madeBody } from '../../support/made-answers.ts';
import { connectInMemory, type InMemory } from '../in-memory.ts';
import type { Payload } from '../injection-corpus.ts';
import type { ToolAnswer } from '../tool-answer.ts';
import { callFor, steeringText } from './whole.ts';

/** An academy with scripted answers, a program that uses it, and the results so far. */
export interface Bench {
  readonly academy: MadeAcademy;
  readonly program: InMemory;
  readonly nonces: Set<string>;
  readonly failures: string[];
  /** Number of texts of the corpus in fields, each in an answer in both forms. */
  tried: number;
}

export async function startBench(): Promise<Bench> {
  const academy = await startMadeAcademy();
  const settings = {
    ACADEMY_BASE_URL: academy.url,
    ACADEMY_API_KEY: 'reliability-key',
    ACADEMY_RATE_LIMIT: 'off',
    ACADEMY_PREFLIGHT: 'false',
    ACADEMY_CONFIRM: 'argument',
  };
  return { academy, program: await connectInMemory({ settings }), nonces: new Set(), failures: [], tried: 0 };
}

const harmless = { line: 'Ana', block: 'Two\nlines', code: 'abc' } as const;

/** A harmless text that keeps its record among the shown ones. */
function calm(path: string, kind: TextKind | undefined): string {
  return steeringText(path) ?? harmless[kind?.kind ?? 'code'];
}

export const plainly = saying(calm);

/** This payload in the chosen fields, harmless texts in all others. */
export const hostileIn = ({ text }: Payload, isMeant: (path: string) => boolean): Speech =>
  saying((path, kind) => {
    return isMeant(path) ? text(marks[kind?.kind ?? 'code']) : calm(path, kind);
  });

/** Adds a field that the contract does not know to every record of an answer: its text is fenced if it can be a sentence. */
export function unknownField({ text }: Payload): Speech {
  const isSentence = /\s/.test(text(marks.code)) || text(marks.code).length > 200;
  const more = { surprise: text(isSentence ? marks.block : marks.code) };
  const add = (record: unknown) => ({ ...Object(record), ...more });
  const body = ({ response }: AnyOperation) => {
    const made: Record<string, unknown> = Object(madeBody(response, calm));
    if (response.kind === 'list') return { ...made, [response.key]: [add(made[response.key]), add({})] };
    return response.kind === 'record' && response.keyed ? { [response.key]: add(made[response.key]) } : add(made);
  };
  return { body };
}

/** An error with the payload in every field that the program reads. */
export function errorOf(text: string): Speech {
  const error = { error: text, errors: [{ code: text, message: text }], supported_fields: [text, text] };
  return { status: 422, body: () => ({ ...error, request_id: text }) };
}

export async function ask({ academy, program }: Bench, tool: string, speech: Speech): Promise<ToolAnswer> {
  academy.say(speech);
  return await program.call(tool, await callFor(tool, program));
}

/** Every fence of every answer has its own nonce. */
function nonceFaults({ nonces }: Bench, { text }: ToolAnswer): string[] {
  return partsOf(text).nonces.flatMap((nonce) => {
    const isNew = !nonces.has(nonce);
    nonces.add(nonce);
    return isNew ? [] : ['a nonce was used before'];
  });
}

/** Checks the envelope of an answer, and compares its form with that of the harmless answer. */
export function judgeAnswer(bench: Bench, answer: ToolAnswer, plain: ToolAnswer | undefined): string[] {
  if (answer.code !== 'ok') return [`no answer: ${answer.text.slice(0, 120)}`];
  const { text, data } = answer;
  const added = plain === undefined ? [] : addedBy(text, plain.text);
  return [...envelopeFaults({ text, data }), ...added, ...nonceFaults(bench, answer)];
}

/** Room for a code and a message of the API, 500 characters each, and the status. */
const maxErrorLine = 1_050;
/** The lines of an error that the program itself writes. */
const ownLine = /^(?!API: |Supported fields: |Request id: )/;

/** Errors and refusals are only text: a payload may not add a line or appear in the program's own lines. */
export function judgeError({ text, data }: ToolAnswer, plain: ToolAnswer): string[] {
  const lines = text.split('\n');
  return [
    ...(data === undefined ? [] : ['an error has a structured form']),
    ...forbiddenFault(text),
    ...(lines.length > plain.text.split('\n').length ? ['an error has more lines'] : []),
    ...(lines.some((line) => ownLine.test(line) && line.includes('HOSTILE')) ? ['a payload in a line of our own'] : []),
    ...(lines.some((line) => line.length > maxErrorLine && !line.startsWith('Supported')) ? ['a long line'] : []),
  ];
}

/** The plan of a list is an answer. */
const isPlan = (text: string) => text.startsWith('Plan, nothing was changed: ');

/** Checks the facts of a refusal about a student: names on their own lines, and no free text. */
export function judgeRefusal({ code, text }: ToolAnswer, plain: ToolAnswer): string[] {
  return [
    ...(code === 'confirmation_required' || isPlan(text) ? [] : [`no refusal: ${text.slice(0, 120)}`]),
    ...forbiddenFault(text),
    ...(countedLines(text.split('\n')).length > plain.text.split('\n').length ? ['a refusal has more lines'] : []),
    ...(text.includes(marks.block) ? ['free text in a refusal'] : []),
  ];
}
