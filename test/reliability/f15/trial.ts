import { type AnyOperation, operations } from '../../../src/contract/index.ts';
import type { TextKind } from '../../../src/contract/schemas/response-text.ts';
import { structureOf } from '../../../src/insights/outline/course.ts';
import type { Row } from '../../support/academy.ts';
import { composites } from '../../support/composite.ts';
import { addedBy, countedLines, envelopeFaults, forbiddenFault, marks, partsOf } from '../../support/envelope.ts';
import { everyCall, toolOf } from '../../support/every-call.ts';
import { type MadeAcademy, type Speech, saying, startMadeAcademy } from '../../support/made-academy.ts';
import { madeBody, pathsOf } from '../../support/made-answers.ts';
import { connectInMemory, type InMemory, unlimited } from '../in-memory.ts';
import type { Payload } from '../injection-corpus.ts';
import type { ToolAnswer } from '../tool-answer.ts';

// Composite answers are made of the answers to several requests, whose records must belong together.

const steering: Readonly<Record<string, string>> = {
  status: 'paid',
  created_at: '2024-05-01T10:00:00Z',
  amount: '10.00',
  currency: 'USD',
};

/** The value that a text must have for its record to be shown; undefined if any value will do. */
export function steeringText(path: string): string | undefined {
  return steering[path.split('.').at(-1) ?? ''];
}

function numberAt({ id }: AnyOperation, key: string, made: number): number {
  const isDistinct =
    id === 'courses.getCourseStructure' || (id === 'community.searchPosts' && !key.startsWith('total_'));
  return isDistinct ? made : 1;
}

function related(operation: AnyOperation, value: unknown, name = ''): unknown {
  if (typeof value === 'number') return numberAt(operation, name, value);
  if (Array.isArray(value)) return value.map((entry) => related(operation, entry, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, related(operation, entry, key)]));
}

/** The same texts, in records where everything sold, held and counted has the id 1. */
function ofOne(speech: Speech): Speech {
  return { ...speech, body: (operation) => related(operation, speech.body(operation)) };
}

/** The same for an offboarding, which needs the name of the student, and takes it only from the details of this email. */
function ofStudent(speech: Speech): Speech {
  const { body } = ofOne(speech);
  const ofEmail = (operation: AnyOperation) => ({
    ...Object(body(operation)),
    email: everyCall.offboard_student?.email,
  });
  return {
    ...speech,
    body: (operation) => (operation.id === 'students.getStudentDetails' ? ofEmail(operation) : body(operation)),
  };
}

function outlineQuestion(): Row {
  const structure = operations.find(({ id }) => id === 'courses.getCourseStructure');
  if (structure === undefined) throw new Error('no operation shows the structure of a course');
  const { lists } = structureOf(Object(madeBody(structure.response, () => '')));
  const [{ module_id, lessons } = { module_id: null, lessons: [] }] = lists;
  const moves = [{ lesson_id: lessons.at(-1)?.id, module_id, position: 1 }];
  return { course_id: 1, moves, lessons: [{ lesson_id: lessons[0]?.id, title: 'New' }] };
}

const outline = outlineQuestion();

const wholeCalls: Readonly<Record<string, Row>> = {
  ...everyCall,
  plan_course_outline: outline,
  apply_course_outline: { ...outline, confirm: true },
  community_digest: { period: 'all_time' },
};

/** A call that the tool accepts; to apply an outline, with the version of the course that the academy shows now. */
export async function callFor(tool: string, { call }: InMemory): Promise<Row> {
  const args = wholeCalls[tool] ?? {};
  if (tool !== 'apply_course_outline') return args;
  const { data } = await call('plan_course_outline', outline);
  return { ...args, base_version: data?.base_version ?? '0' };
}

function textsOf(operations: readonly AnyOperation[]): string[] {
  return [...new Set(operations.flatMap(({ response }) => pathsOf(response)))];
}

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
  const settings = unlimited(academy.url, 'reliability-key', {
    ACADEMY_PREFLIGHT: 'false',
    ACADEMY_CONFIRM: 'argument',
  });
  return { academy, program: await connectInMemory({ settings }), nonces: new Set(), failures: [], tried: 0 };
}

const harmless = { line: 'Ana', block: 'Two\nlines', code: 'abc' } as const;

/** A harmless text that keeps its record among the shown ones. */
function calm(path: string, kind: TextKind | undefined): string {
  return steeringText(path) ?? harmless[kind?.kind ?? 'code'];
}

export const plainly = saying(calm);

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

export function judgeAnswer(bench: Bench, answer: ToolAnswer, plain: ToolAnswer | undefined): string[] {
  if (answer.code !== 'ok') return [`no answer: ${answer.text.slice(0, 120)}`];
  const { text, data } = answer;
  const added = plain === undefined ? [] : addedBy(text, plain.text);
  return [...envelopeFaults({ text, data }), ...added, ...nonceFaults(bench, answer)];
}

/** Room for a code and a message of the API, 500 characters each, and the status. */
const maxErrorLine = 1_050;
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

export interface Subject {
  readonly tool: string;
  readonly paths: readonly string[];
  readonly tell: (speech: Speech) => Speech;
}

const subjectOf = (operation: AnyOperation): Subject => ({
  tool: toolOf(operation),
  paths: textsOf([operation]),
  tell: (speech) => speech,
});

/** The texts of a composite answer are those of the API answers behind it. */
async function wholeSubjects(bench: Bench): Promise<Subject[]> {
  const subjects: Subject[] = [];
  for (const tool of composites) {
    const tell = tool === 'offboard_student' ? ofStudent : ofOne;
    bench.academy.takeRequests();
    await ask(bench, tool, tell(plainly));
    subjects.push({ tool, paths: textsOf(bench.academy.takeRequests()), tell });
  }
  return subjects;
}

export async function subjectsOf(bench: Bench): Promise<Subject[]> {
  return [...operations.map(subjectOf), ...(await wholeSubjects(bench))];
}
