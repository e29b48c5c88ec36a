import { type AnyOperation, operations } from '../../../src/contract/index.ts';
import type { TextKind } from '../../../src/contract/schemas/response-text.ts';
import { structureOf } from '../../../src/insights/outline/course.ts';
import { createRandom } from '../../../src/sandbox/seed/random.ts';
import type { Row } from '../../support/academy.ts';
import { connect, type ToolAnswer, unlimited } from '../../support/connect.ts';
import { addedBy, countedLines, envelopeFaults, forbiddenFault, marks, partsOf } from '../../support/envelope.ts';
import { composites, everyCall, toolOf } from '../../support/every-call.ts';
import { type Speech, saying, startMadeAcademy } from '../../support/made-academy.ts';
import { madeBody, pathsOf } from '../../support/made-answers.ts';
import type { Figure, Size } from '../figure.ts';
import { corpus, type Payload } from '../injection-corpus.ts';

// Composite answers are made of the answers to several requests, whose records must belong together.

const steering: Readonly<Record<string, string>> = {
  status: 'paid',
  created_at: '2024-05-01T10:00:00Z',
  amount: '10.00',
  currency: 'USD',
};

/** The value that a text must have for its record to be shown; undefined if any value will do. */
function steeringText(path: string): string | undefined {
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
async function callFor(tool: string, { call }: Bench['program']): Promise<Row> {
  const args = wholeCalls[tool] ?? {};
  if (tool !== 'apply_course_outline') return args;
  const { structured } = await call('plan_course_outline', outline);
  return { ...args, base_version: structured?.base_version ?? '0' };
}

function textsOf(operations: readonly AnyOperation[]): string[] {
  return [...new Set(operations.flatMap(({ response }) => pathsOf(response)))];
}

type Bench = Awaited<ReturnType<typeof startBench>>;

async function startBench() {
  const academy = await startMadeAcademy();
  const more = { ACADEMY_PREFLIGHT: 'false', ACADEMY_CONFIRM: 'argument', LOG_LEVEL: 'silent' };
  const program = await connect(unlimited(academy.url, 'reliability-key', more));
  // `tried`: number of texts of the corpus in fields, each in an answer in both forms.
  return { academy, program, nonces: new Set<string>(), failures: [] as string[], tried: 0 };
}

const harmless = { line: 'Ana', block: 'Two\nlines', code: 'abc' } as const;

/** A harmless text that keeps its record among the shown ones. */
function calm(path: string, kind: TextKind | undefined): string {
  return steeringText(path) ?? harmless[kind?.kind ?? 'code'];
}

const plainly = saying(calm);

const hostileIn = ({ text }: Payload, isMeant: (path: string) => boolean): Speech =>
  saying((path, kind) => {
    return isMeant(path) ? text(marks[kind?.kind ?? 'code']) : calm(path, kind);
  });

/** Adds a field that the contract does not know to every record of an answer: its text is fenced if it can be a sentence. */
function unknownField({ text }: Payload): Speech {
  const isSentence = /\s/.test(text(marks.code)) || text(marks.code).length > 200;
  const more = { surprise: text(isSentence ? marks.block : marks.code) };
  const add = (record: unknown) => ({ ...Object(record), ...more });
  const body = ({ response }: AnyOperation) => {
    const made: Record<string, unknown> = Object(madeBody(response, calm));
    if (response.kind === 'list') return { ...made, [response.key]: [add(made[response.key]), add({})] };
    const isKeyed = response.kind === 'record' && response.form === 'keyed';
    return isKeyed ? { [response.key]: add(made[response.key]) } : add(made);
  };
  return { body };
}

function errorOf(text: string): Speech {
  const error = { error: text, errors: [{ code: text, message: text }], supported_fields: [text, text] };
  return { status: 422, body: () => ({ ...error, request_id: text }) };
}

async function ask({ academy, program }: Bench, tool: string, speech: Speech): Promise<ToolAnswer> {
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

function judgeAnswer(bench: Bench, answer: ToolAnswer, plain: ToolAnswer | undefined): string[] {
  if (answer.code !== 'ok') return [`no answer: ${answer.text.slice(0, 120)}`];
  const { text, structured: data } = answer;
  const added = plain === undefined ? [] : addedBy(text, plain.text);
  return [...envelopeFaults({ text, data }), ...added, ...nonceFaults(bench, answer)];
}

/** Room for a code and a message of the API, 500 characters each, and the status. */
const maxErrorLine = 1_050;
const ownLine = /^(?!API: |Supported fields: |Request id: )/;

/** Errors and refusals are only text: a payload may not add a line or appear in the program's own lines. */
function judgeError({ text, structured: data }: ToolAnswer, plain: ToolAnswer): string[] {
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
function judgeRefusal({ code, text }: ToolAnswer, plain: ToolAnswer): string[] {
  return [
    ...(code === 'confirmation_required' || isPlan(text) ? [] : [`no refusal: ${text.slice(0, 120)}`]),
    ...forbiddenFault(text),
    ...(countedLines(text.split('\n')).length > plain.text.split('\n').length ? ['a refusal has more lines'] : []),
    ...(text.includes(marks.block) ? ['free text in a refusal'] : []),
  ];
}

interface Subject {
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

async function subjectsOf(bench: Bench): Promise<Subject[]> {
  return [...operations.map(subjectOf), ...(await wholeSubjects(bench))];
}
/** How many texts of the corpus the short form tries with each tool. test/security/data-leaks.long.test.ts runs it. */
const shortSample = 13;

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

export const figure: Figure = {
  id: 'F15',
  title: 'Prompt injection',
  target: 'at least 60 texts; 0 outside their envelope, 0 forbidden characters, in both forms',
  run: async (size, seed) => {
    const bench = await startBench();
    const random = createRandom('f15', seed);
    const sample = () => Array.from({ length: shortSample }, () => random.pick(corpus));
    const payloads = () => (size === 'whole' ? corpus : sample());
    for (const subject of await subjectsOf(bench)) {
      await tryFields(bench, subject, payloads(), size);
      await tryElsewhere(bench, subject, payloads());
    }
    await tryRefusals(bench, payloads());
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
  },
};
