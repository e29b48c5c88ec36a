import { readFile } from 'node:fs/promises';
import { cut } from '../../support/arrange.ts';
import { unlimited } from '../../support/connect.ts';
import { everyCall } from '../../support/every-call.ts';
import { inLanes } from '../../support/lanes.ts';
import { type MadeAcademy, saying, startMadeAcademy } from '../../support/made-academy.ts';
import { callOf, messageIn, type Running, start } from '../../support/program.ts';
import { temporaryFile } from '../../support/sandbox.ts';
import { type Act, type Exchange, startFaultServer } from '../fault-server.ts';
import { faultNamed } from '../faults.ts';
import type { Figure, Size } from '../figure.ts';

/** Secrets that may appear only in the request itself. */
const secrets = {
  key: 'CANARYKEY-7f3a9c"\\51d2e8b4',
  confirmSecret: 'CANARYSECRET-0b9e4d7c2a',
} as const;

/** Data and texts of students, which may appear only in the answers. */
const personal = {
  email: "quilla.o'canary@example.com",
  name: 'Quilla Canarybird',
  text: 'Canaryword: my grandmother left me her house',
} as const;

type Words = Readonly<Record<string, string>>;

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

/** The forms in which a text could appear: plain, in JSON, in texts that JSON quotes again, in a URL, in base64. */
function spellings(word: string): string[] {
  const once = inJson(word);
  const twice = inJson(once);
  const bytes = Buffer.from(word);
  const base64 = bytes.toString('base64').replace(/.{2}=*$/, '');
  return [word, once, twice, inJson(twice), encodeURIComponent(word), base64, bytes.toString('hex')];
}

export function hits(output: string, words: Words): string[] {
  const seen = output.toLowerCase();
  return Object.entries(words)
    .filter(([, word]) => spellings(word).some((spelling) => seen.includes(spelling.toLowerCase())))
    .map(([name]) => name);
}

/** An API failure that reveals too much: the received key, and data of students. */
interface Leak {
  readonly name: string;
  readonly fault?: Act;
  /** After it, the program checks for its writes for 15 s: the short form leaves those writes out. */
  readonly slow?: boolean;
}

const keyIn = ({ request }: Exchange) => request.headers.authorization?.replace('Bearer ', '') ?? '';

const stack = 'at Key.check (/srv/api/key.rb:12)';
const sentence = (exchange: Exchange) =>
  `${keyIn(exchange)} is refused to ${personal.name} <${personal.email}> for "${personal.text}"`;

/** An error that repeats the key in every field of its body that the program reads. */
const telling = (status: number, headers: Record<string, string> = {}): Act => ({
  at: 'body',
  act: (exchange) => {
    const [words, received] = [sentence(exchange), keyIn(exchange)];
    const error = { error: words, errors: [{ code: received, message: words }], supported_fields: [received] };
    const body = JSON.stringify({ ...error, request_id: received, stack });
    exchange.answer({ status, headers: { 'content-type': 'application/json', ...headers }, body });
  },
});

const html: Act = {
  at: 'body',
  act: (exchange) => {
    const body = `<title>Error</title><pre>${sentence(exchange)} ${stack}</pre>`;
    exchange.answer({ status: 200, headers: { 'content-type': 'text/html' }, body });
  },
};

const leaks: readonly Leak[] = [
  { name: 'no fault' },
  { name: '401', fault: telling(401) },
  { name: '403', fault: telling(403) },
  { name: '404', fault: telling(404) },
  { name: '422', fault: telling(422) },
  { name: '429', fault: telling(429, { 'retry-after': '1' }), slow: true },
  { name: '500', fault: telling(500), slow: true },
  { name: 'cut', fault: cut, slow: true },
  { name: 'half a body', fault: faultNamed('body cut') },
  { name: 'HTML', fault: html },
];

const { key } = secrets;

const wrongPlaces: readonly Record<string, string>[] = [
  { ACADEMY_API_KEY: `${key} ${key}` },
  { ACADEMY_BASE_URL: `https://user:${key}@academy.example.com` },
  { ACADEMY_BASE_URL: key },
  { ACADEMY_AUTH_SCHEME: key },
  { ACADEMY_CONFIRM: key },
  { ACADEMY_CONFIRM_SECRET: key.slice(0, 10), ACADEMY_LOCKDOWN: key },
  { ACADEMY_TOOLSETS: `orders,${key}` },
  { ACADEMY_RATE_LIMIT: key },
  { ACADEMY_TIMEOUT_MS: key },
  { LOG_LEVEL: key },
];

async function outputOf({ leave, written }: Running): Promise<string> {
  await leave();
  return written.stdout + written.stderr;
}

async function secretsAtStart(url: string): Promise<{ tried: number; failures: string[] }> {
  const right = unlimited(url, key);
  const failuresOf = async (wrong: Record<string, string>) => {
    const output = await outputOf(start([], { ...right, ...wrong }));
    const name = Object.keys(wrong).join(' and ');
    return [
      ...(output.startsWith('academy-mcp: ') ? [] : [`a wrong ${name} is no start-up error`]),
      ...hits(output, { key }).map(() => `the error of a wrong ${name} repeats it`),
    ];
  };
  const failures = (await Promise.all(wrongPlaces.map(failuresOf))).flat();
  const doctor = await outputOf(start(['doctor'], right));
  failures.push(...hits(doctor, { key, email: personal.email }).map((word) => `doctor shows the ${word}`));
  return { tried: wrongPlaces.length + 1, failures };
}

const canaryText = { line: personal.name, block: personal.text, code: secrets.key } as const;

/** Emails, names and texts in their fields, and the key in every field where the platform could put it. */
const speech = saying((path, kind) => (/email/.test(path) ? personal.email : canaryText[kind?.kind ?? 'code']));

const theirs: Record<string, string> = {
  email: personal.email,
  user_email: personal.email,
  name: personal.name,
  title: personal.text,
};

function about(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => (typeof entry === 'object' ? aboutThem({ ...entry }) : entry));
  return theirs[name] ?? value;
}

function aboutThem(args: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, about(name, value)]));
}

/** The calls of all tools for the canary student; those that require confirmation also once without it. */
function calls(isShort: boolean, { slow = false }: Leak): [tool: string, args: object][] {
  const looked = /^(enroll|create|reset)_/;
  return Object.entries(everyCall).flatMap(([tool, args]): [string, object][] => {
    if (isShort && slow && looked.test(tool)) return [];
    const own = aboutThem(args);
    const { confirm, ...rest } = own;
    return [[tool, own], ...(confirm === undefined ? [] : [[tool, rest] satisfies [string, object]])];
  });
}

let lastId = 0;

function callTool(program: Running, name: string, args: object) {
  lastId += 1;
  program.send(callOf(lastId, name, { ...args }));
  return program.answerTo(lastId);
}

async function sendNonsense(program: Running): Promise<void> {
  const { email, name, text } = personal;
  for (const bad of [name, `{"jsonrpc":"2.0","method":"${text}`, `{"${email}":1}`, `"${name}"`, `[${text}]`]) {
    await program.write(`${bad}\n`);
  }
  await callTool(program, text, {});
  await callTool(program, 'get_course', { course_id: name, [email]: text });
  await callTool(program, 'enroll_student', { email: `${name} ${email}` });
}

const found = (where: string, names: readonly string[]) => names.map((name) => `${where} holds the ${name}`);

async function search({ written }: Running, commandLine: string, audit: string): Promise<string[]> {
  const everything = { ...secrets, ...personal };
  const foreign = written.stdout.split('\n').filter((line) => line !== '' && messageIn(line) === undefined);
  return [
    ...found('standard output', hits(written.stdout, secrets)),
    ...found('standard error', hits(written.stderr, everything)),
    ...found('the audit log', hits(audit, everything)),
    ...found('the command line', hits(commandLine, everything)),
    ...foreign.map((line) => `standard output has a line that is not a message: ${line.slice(0, 80)}`),
    // Empty outputs could not contain a canary.
    ...(written.stderr === '' ? ['nothing was logged'] : []),
    ...(audit === '' ? ['the audit log is empty'] : []),
  ];
}

async function runLane(academy: MadeAcademy, leak: Leak, isShort: boolean) {
  const auditLog = await temporaryFile('audit.jsonl');
  const server = await startFaultServer(academy.url);
  const settings = unlimited(server.url, secrets.key, {
    ACADEMY_CONFIRM_SECRET: secrets.confirmSecret,
    ACADEMY_AUDIT_LOG: auditLog,
    ACADEMY_MAX_WAIT_MS: '1000',
    ACADEMY_TIMEOUT_MS: '1000',
    LOG_LEVEL: 'trace',
  });
  const program = start([], settings);
  await program.greet();
  // As other users of the machine see it; the system may not show it.
  const commandLine = await readFile(`/proc/${program.child.pid}/cmdline`, 'utf8').catch(() => '');
  if (leak.fault !== undefined) server.arm({ name: leak.name, fault: leak.fault, times: Number.POSITIVE_INFINITY });
  const toolCalls = calls(isShort, leak);
  const answers = await Promise.all(toolCalls.map(([name, args]) => callTool(program, name, args)));
  await sendNonsense(program);
  await program.leave();
  const failures = await search(program, commandLine, await readFile(auditLog, 'utf8'));
  if (answers.some((answer) => answer === undefined)) failures.push('the program ended too early');
  if (leak.fault === undefined && hits(program.written.stdout, personal).length < 3)
    failures.push('no answer contained a canary');
  return { calls: toolCalls.length, failures: failures.map((failure) => `${leak.name}: ${failure}`) };
}

/** test/security/data-leaks.long.test.ts runs the short form. */
const shortLeaks = ['no fault', '401', '403', '422', 'HTML'];
/** Programs at a time: they mostly wait. */
const lanes = 5;

async function runLanes(size: Size) {
  const academy = await startMadeAcademy();
  academy.say(speech);
  const chosen = leaks.filter(({ name }) => size === 'whole' || shortLeaks.includes(name));
  const results = await inLanes(chosen, lanes, (leak) => runLane(academy, leak, size === 'short'));
  return { results, starts: await secretsAtStart(academy.url) };
}

export const figure: Figure = {
  id: 'F14',
  title: 'Secrets and personal data as canaries',
  target: '0 places with the key or the secret, 0 log or audit lines with an email, a name or a text',
  run: async (size) => {
    const { results, starts } = await runLanes(size);
    const failures = [...results.flatMap((lane) => lane.failures), ...starts.failures];
    const calls = results.reduce((sum, lane) => sum + lane.calls, 0);
    return {
      tried: `${calls} calls of all tools to the built program over stdio, at LOG_LEVEL=trace, with ${results.length} kinds of API answers that repeat the key and name students; ${starts.tried} starts with the key in a wrong place`,
      result: `${failures.length} places with a canary`,
      details: [
        'searched for the key and the secret: standard output and error, audit log, command line, start-up errors; also escaped, in URLs, in base64, in hexadecimal, in any letter case',
        'searched for email, name and text of a student: standard error, audit log and command line; in the answers they belong, and must appear',
        'nothing is random: the seed has no effect',
      ],
      failures,
      zeros: [{ what: 'answers with a key, or log lines with a student', of: calls }],
    };
  },
};
