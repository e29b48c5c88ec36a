import type { AnyOperation } from '../../../src/contract/index.ts';
import type { TextKind } from '../../../src/contract/schemas/response-text.ts';
import { addedBy, countedLines, envelopeFaults, forbiddenFault, marks, partsOf } from '../../support/envelope.ts';
import { type MadeAcademy, type Speech, saying, startMadeAcademy } from '../../support/made-academy.ts';
import { madeBody } from '../../support/made-answers.ts';
import { connectInMemory, type InMemory } from '../in-memory.ts';
import type { Payload } from '../injection-corpus.ts';
import type { ToolAnswer } from '../tool-answer.ts';
import { callFor, steeringText } from './whole.ts';

/** An academy that says what it is told, a program that asks it, and what has been seen so far. */
export interface Bench {
  readonly academy: MadeAcademy;
  readonly program: InMemory;
  readonly nonces: Set<string>;
  readonly failures: string[];
  /** Texts of the corpus in fields, each in an answer in both forms. */
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

/** What says nothing bad, and keeps the record among those that are shown. */
function calm(path: string, kind: TextKind | undefined): string {
  return steeringText(path) ?? harmless[kind?.kind ?? 'code'];
}

export const plainly = saying(calm);

/** This payload in the fields that are meant, harmless texts in all others. */
export const hostileIn = ({ text }: Payload, isMeant: (path: string) => boolean): Speech =>
  saying((path, kind) => {
    return isMeant(path) ? text(marks[kind?.kind ?? 'code']) : calm(path, kind);
  });

/** A field that the contract does not know, in every record of an answer: fenced, as soon as it can be a sentence. */
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

/** An error that says the payload in each place that the program reads. */
export function errorOf(text: string): Speech {
  const error = { error: text, errors: [{ code: text, message: text }], supported_fields: [text, text] };
  return { status: 422, body: () => ({ ...error, request_id: text }) };
}

export async function ask({ academy, program }: Bench, tool: string, speech: Speech): Promise<ToolAnswer> {
  academy.say(speech);
  return await program.call(tool, await callFor(tool, program));
}

/** Every fence of every answer has a nonce of its own. */
function nonceFaults({ nonces }: Bench, { text }: ToolAnswer): string[] {
  return partsOf(text).nonces.flatMap((nonce) => {
    const isNew = !nonces.has(nonce);
    nonces.add(nonce);
    return isNew ? [] : ['a nonce was there before'];
  });
}

/** Holds an answer to its envelope, and to the form of the harmless one. */
export function judgeAnswer(bench: Bench, answer: ToolAnswer, plain: ToolAnswer | undefined): string[] {
  if (answer.code !== 'ok') return [`no answer: ${answer.text.slice(0, 120)}`];
  const { text, data } = answer;
  const added = plain === undefined ? [] : addedBy(text, plain.text);
  return [...envelopeFaults({ text, data }), ...added, ...nonceFaults(bench, answer)];
}

/** A code and a message of the API, 500 characters each, and the status. */
const maxErrorLine = 1_050;
/** The lines of an error that are the program's own words. */
const ownLine = /^(?!API: |Supported fields: |Request id: )/;

/** An error and a refusal are text alone: a payload may neither add a line nor stand in the program's own words. */
export function judgeError({ text, data }: ToolAnswer, plain: ToolAnswer): string[] {
  const lines = text.split('\n');
  return [
    ...(data === undefined ? [] : ['an error has a structured form']),
    ...forbiddenFault(text),
    ...(lines.length > plain.text.split('\n').length ? ['an error has more lines'] : []),
    ...(lines.some((line) => ownLine.test(line) && line.includes('HOSTILE')) ? ['a payload in words of our own'] : []),
    ...(lines.some((line) => line.length > maxErrorLine && !line.startsWith('Supported')) ? ['a long line'] : []),
  ];
}

/** Payloads in the records of all students leave it open whether they hold the product. */
const leavesAllOut = (text: string) => text.startsWith('not_applied: no student is left to enroll');

/** What a refusal tells of a student for the one who confirms: names on lines of their own, and no free text. */
export function judgeRefusal({ code, text }: ToolAnswer, plain: ToolAnswer): string[] {
  return [
    ...(code === 'confirmation_required' || leavesAllOut(text) ? [] : [`no refusal: ${text.slice(0, 120)}`]),
    ...forbiddenFault(text),
    ...(countedLines(text.split('\n')).length > plain.text.split('\n').length ? ['a refusal has more lines'] : []),
    ...(text.includes(marks.block) ? ['free text in a refusal'] : []),
  ];
}
