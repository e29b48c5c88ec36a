import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyCall } from '../../support/every-call.ts';
import { type MadeAcademy, saying } from '../../support/made-academy.ts';
import { startFaultServer } from '../fault-server.ts';
import { hits, personal, secrets } from './canaries.ts';
import type { Leak } from './leaks.ts';
import { messageIn, type RawProgram, startClient } from './raw-program.ts';

export interface LaneResult {
  readonly calls: number;
  readonly failures: string[];
}

const canaryText = { line: personal.name, block: personal.text, code: secrets.key } as const;

/** Emails, names and texts in their fields, and the key in every field where the platform could put it. */
export const speech = saying((path, kind) => (/email/.test(path) ? personal.email : canaryText[kind?.kind ?? 'code']));

const theirs: Record<string, string> = {
  email: personal.email,
  user_email: personal.email,
  name: personal.name,
  title: personal.text,
};

/** Puts the student into an argument, also within a list of students. */
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

/** Input that no client should send and no log may repeat. */
async function sendNonsense(program: RawProgram): Promise<void> {
  const { email, name, text } = personal;
  for (const bad of [name, `{"jsonrpc":"2.0","method":"${text}`, `{"${email}":1}`, `"${name}"`, `[${text}]`]) {
    program.line(bad);
  }
  await program.request('tools/call', { name: text, arguments: {} });
  await program.request('tools/call', { name: 'get_course', arguments: { course_id: name, [email]: text } });
  await program.request('tools/call', { name: 'enroll_student', arguments: { email: `${name} ${email}` } });
}

const found = (where: string, names: readonly string[]) => names.map((name) => `${where} holds the ${name}`);

async function search({ written }: RawProgram, commandLine: string, audit: string): Promise<string[]> {
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

/** Tries all tools of one program under one leak. */
export async function runLane(academy: MadeAcademy, leak: Leak, isShort: boolean): Promise<LaneResult> {
  const folder = await mkdtemp(join(tmpdir(), 'academy-reliability-'));
  const auditLog = join(folder, 'audit.jsonl');
  const server = await startFaultServer(academy.url);
  const program = await startClient({
    ACADEMY_BASE_URL: server.url,
    ACADEMY_API_KEY: secrets.key,
    ACADEMY_CONFIRM_SECRET: secrets.confirmSecret,
    ACADEMY_AUDIT_LOG: auditLog,
    ACADEMY_RATE_LIMIT: 'off',
    ACADEMY_MAX_WAIT_MS: '1000',
    ACADEMY_TIMEOUT_MS: '1000',
    LOG_LEVEL: 'trace',
  });
  const commandLine = await program.commandLine();
  if (leak.fault !== undefined) server.arm({ name: leak.name, fault: leak.fault, times: Number.POSITIVE_INFINITY });
  const toolCalls = calls(isShort, leak);
  const answers = await Promise.all(
    toolCalls.map(([name, args]) => program.request('tools/call', { name, arguments: args })),
  );
  await sendNonsense(program);
  await program.end();
  await server.close();
  const failures = await search(program, commandLine ?? '', await readFile(auditLog, 'utf8'));
  if (answers.some((answer) => answer === undefined)) failures.push('the program ended too early');
  if (leak.fault === undefined && hits(program.written.stdout, personal).length < 3)
    failures.push('no answer contained a canary');
  await rm(folder, { recursive: true });
  return { calls: toolCalls.length, failures: failures.map((failure) => `${leak.name}: ${failure}`) };
}
