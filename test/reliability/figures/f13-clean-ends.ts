import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type Random } from '../../../src/sandbox/seed/random.ts';
import { inScope } from '../../support/at-end.ts';
import { type AuditEntry, parseLines } from '../../support/audit-lines.ts';
import { readAnswer, type ToolAnswer } from '../../support/connect.ts';
import { createCaller } from '../../support/http-server.ts';
import { callOf, startHttpProgram, start as startProgram } from '../../support/program.ts';
import { start, temporaryFolder } from '../../support/sandbox.ts';
import { isWrite } from '../../support/writes.ts';
import { type LogEntry, startFaultServer } from '../fault-server.ts';
import type { Figure, Size } from '../figure.ts';
import { applyOutline, claimOf, creates, lies, revokeCourse, type ToolOperation, unenroll } from '../operations.ts';

const manners = ['SIGTERM', 'stdin closed', 'stdout closed', 'SIGTERM over HTTP'] as const;
type Manner = (typeof manners)[number];

type Running = Awaited<ReturnType<typeof startOverStdio>>;
type Exit = Awaited<ReturnType<Running['leave']>>;

function groupLives(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

type Child = ReturnType<typeof startProgram>['child'];

function leaveBy(manner: Manner, child: Child): void {
  if (manner === 'SIGTERM') child.kill('SIGTERM');
  if (manner === 'stdin closed') child.stdin?.end();
  if (manner === 'stdout closed') {
    child.stdout?.destroy();
    // Only a write notices a closed pipe: this request makes the program write.
    child.stdin?.write('{"jsonrpc":"2.0","id":0,"method":"ping"}\n');
  }
}

async function startOverHttp(environment: Record<string, string>): Promise<Running> {
  const program = await startHttpProgram({ environment });
  const caller = createCaller(program.url, 20);
  const session = await caller.open();
  const answers = new Map<number, ToolAnswer>();
  const call = async (id: number, name: string, args: object) => {
    const { message } = await caller.call(id, name, args, session);
    if (message?.result !== undefined) answers.set(id, readAnswer(message.result));
  };
  return {
    // A cut connection brings no answer, as over stdio.
    call: (id, name, args) => void call(id, name, args).catch(() => {}),
    answerTo: (id) => answers.get(id),
    leave: async (_manner, longest) => ({
      ...(await program.end(longest)),
      leftOthers: false,
      stderr: program.lastWords(),
    }),
  };
}

/** As the leader of a process group, so that processes it leaves behind can be detected. */
async function startOverStdio(environment: Record<string, string>) {
  const { child, written, answers, send, greet, leave } = startProgram([], environment, { detached: true });
  await greet();
  return {
    call: (id: number, name: string, args: Record<string, unknown>) => send(callOf(id, name, args)),
    answerTo: (id: number) => {
      const result = answers.get(id)?.result;
      return result && readAnswer(result);
    },
    /** Leaves in this way and waits for the end; kills the program after `longest` milliseconds. */
    leave: async (manner: Manner, longest: number) => {
      const end = await leave(() => leaveBy(manner, child), longest);
      // Whether a process that it started is still running.
      return { ...end, leftOthers: groupLives(child.pid ?? 0), stderr: written.stderr };
    },
  };
}

type AuditLine = Pick<AuditEntry, 'tool' | 'outcome' | 'request_id'>;

function readAudit(audit: string): { lines: readonly AuditLine[]; broken: string[] } {
  try {
    return { lines: parseLines(audit), broken: [] };
  } catch (error) {
    return { lines: [], broken: [`the audit log does not parse: ${error}`] };
  }
}

/** A requested operation, and the answer that the client received before it left. */
interface Requested {
  readonly operation: ToolOperation;
  readonly answer: ToolAnswer | undefined;
}

interface Accounts {
  readonly audit: string;
  readonly requests: readonly LogEntry[];
  readonly requested: readonly Requested[];
}

const isOf = (operation: ToolOperation) => (entry: LogEntry) =>
  entry.worked && entry.method === operation.method && entry.path === operation.path;

const pattern = ({ method, path }: ToolOperation) => `${method} ${path.replace(/\d+/g, ':id')}`;

const worked = ({ status = 0 }: LogEntry) => status >= 200 && status < 300;

/** Compares the lines of some tools with the requests at the academy: several operations may share a tool or a request. */
function problemsOfTools(
  tool: string,
  path: string,
  lines: readonly AuditLine[],
  requests: readonly LogEntry[],
): string[] {
  const count = (outcome: string) => lines.filter((line) => line.outcome === outcome).length;
  const done = requests.filter(worked).length;
  const problems = [
    lines.length < requests.length &&
      `${requests.length} requests reached ${path}, but ${lines.length} lines in the audit log`,
    count('sent') > 0 && `${count('sent')} lines of ${tool} in the audit log were never completed`,
    count('applied') > done && `${count('applied')} lines of ${tool} say applied, but ${done} were`,
    count('applied') + count('outcome_unknown') < done &&
      `${done} of ${tool} were applied, but the audit log says so of ${count('applied')}`,
    lines.some(({ outcome, request_id }) => outcome === 'applied' && request_id === '') &&
      `a line of ${tool} says applied, without a request id`,
  ];
  return problems.filter((problem) => problem !== false);
}

const problemsOfAnswer = ({ operation, answer }: Requested): string[] =>
  lies(answer ?? { outcome: undefined }, operation.count()).map((lie) => `${operation.tool} was ${lie}`);

function problemsInAccounts({ audit, requests, requested }: Accounts): string[] {
  const { lines, broken } = readAudit(audit);
  const paths = new Set(requested.map(({ operation }) => pattern(operation)));
  const ofTools = [...paths].flatMap((path) => {
    const operations = requested.flatMap(({ operation }) => (pattern(operation) === path ? [operation] : []));
    const tools = new Set(operations.map(({ tool }) => tool));
    const reached = requests.filter((entry) => operations.some((operation) => isOf(operation)(entry)));
    return problemsOfTools(
      [...tools].join(' and '),
      path,
      lines.filter((line) => tools.has(line.tool)),
      reached,
    );
  });
  return [...broken, ...ofTools, ...requested.flatMap(problemsOfAnswer)];
}

const loads = ['idle', 'reads', 'writes', 'both', 'a queue'] as const;
type Load = (typeof loads)[number];

interface Round {
  readonly manner: Manner;
  readonly load: Load;
}

type Ended = Awaited<ReturnType<typeof runRound>>;

/** Delay of each answer of the academy, so that the client leaves during a call. Milliseconds. */
const latencyMs = 150;
const latestLeaveMs = 500;
const maxExit = { idle: 2_000, busy: 30_000 };

const reads: readonly [name: string, args: Record<string, unknown>][] = [
  ['get_account', {}],
  ['list_courses', {}],
  ['search_products', { query: 'a' }],
  ['list_orders', { per_page: 5 }],
];

const writers = [...creates, revokeCourse, unenroll, applyOutline];

const counts: Record<Load, { reads: number; writes: number }> = {
  idle: { reads: 0, writes: 0 },
  reads: { reads: 4, writes: 0 },
  writes: { reads: 0, writes: 4 },
  both: { reads: 2, writes: 3 },
  'a queue': { reads: 4, writes: 4 },
};

type NewOperation = (index: number) => ToolOperation;

interface RoundSetup {
  readonly sandbox: Awaited<ReturnType<typeof start>>;
  readonly server: Awaited<ReturnType<typeof startFaultServer>>;
  readonly file: string;
  readonly name: string;
  readonly random: Random;
  readonly used: Set<object>;
}

function startWork(running: Running, load: Load, newDeed: NewOperation): Map<number, ToolOperation> {
  const { reads: readCount, writes } = counts[load];
  const operations = new Map(Array.from({ length: writes }, (_, index) => [100 + index, newDeed(index)]));
  const calls = [
    ...reads.slice(0, readCount).map(
      ([name, args], index) =>
        () =>
          running.call(10 + index, name, args),
    ),
    ...[...operations].map(
      ([id, { tool, args }]) =>
        () =>
          running.call(id, tool, args),
    ),
  ];
  // Alternately, so that a queue holds both.
  for (const [index, call] of calls.entries()) if (index % 2 === 0) call();
  for (const [index, call] of calls.entries()) if (index % 2 === 1) call();
  return operations;
}

function exitProblems({ code, signal, milliseconds, leftOthers, stderr }: Exit, load: Load): string[] {
  const longest = load === 'idle' ? maxExit.idle : maxExit.busy;
  const ended = Math.round(milliseconds);
  if (code === null && signal === null) return [`did not end within ${ended} ms`];
  const problems = [
    code !== 0 && `exit code ${code}, signal ${signal}`,
    milliseconds >= longest && `ended after ${ended} ms`,
    leftOthers && 'a process that it started is still running',
    stderr !== '' && `on standard error: ${stderr.slice(0, 200)}`,
  ];
  return problems.filter((problem) => problem !== false);
}

async function runRound(round: Round, { sandbox, server, file, name, random, used }: RoundSetup) {
  const environment = {
    ACADEMY_BASE_URL: server.url,
    ACADEMY_API_KEY: sandbox.apiKey,
    ACADEMY_AUDIT_LOG: file,
    ACADEMY_MAX_WAIT_MS: '600000',
    ...(round.load === 'a queue'
      ? { ACADEMY_RATE_LIMIT: '4', ACADEMY_RATE_SHARE: '1' }
      : { ACADEMY_RATE_LIMIT: 'off' }),
  };
  const before = server.log.length;
  const newDeed = (index: number) => random.pick(writers)(sandbox.academy, `${name}-${index}`, used);
  const { exit, operations, running } = await leaveDuring(round, environment, newDeed, random);
  // Requests in flight at the end of the program are answered soon after.
  await sleep(latencyMs * 2);
  const requests = server.log.slice(before);
  const requested = [...operations].map(([id, operation]) => {
    const answer = running.answerTo(id);
    return { operation, answer: answer && claimOf(operation, answer) };
  });
  const accounts = { audit: await readFile(file, 'utf8'), requests, requested };
  const writes = requests.filter(isWrite).length;
  return { ...round, exit, writes, problems: [...exitProblems(exit, round.load), ...problemsInAccounts(accounts)] };
}

async function runLane(rounds: readonly Round[], seed: number, lane: number): Promise<Ended[]> {
  const sandbox = await start({ students: 600, orders: 1_500, latencyMs });
  const server = await startFaultServer(sandbox.url);
  const folder = await temporaryFolder();
  const shared = { sandbox, server, random: createRandom('f13', seed, lane), used: new Set<object>() };
  const ended: Ended[] = [];
  for (const [number, round] of rounds.entries()) {
    const own = { file: join(folder, `${number}.jsonl`), name: `f13-${lane}-${number}` };
    ended.push(await inScope(() => runRound(round, { ...shared, ...own })));
  }
  return ended;
}

async function leaveDuring(
  { manner, load }: Round,
  environment: Record<string, string>,
  newDeed: NewOperation,
  random: Random,
) {
  const running = await (manner === 'SIGTERM over HTTP' ? startOverHttp : startOverStdio)(environment);
  const operations = startWork(running, load, newDeed);
  await sleep(random.next() * latestLeaveMs);
  const exit = await running.leave(manner, maxExit.busy);
  return { running, operations, exit };
}

const sizes: Record<Size, { each: number; lanes: number }> = {
  short: { each: 3, lanes: 3 },
  whole: { each: 100, lanes: 4 },
};

function roundsOf(each: number): Round[] {
  return manners.flatMap((manner, row) =>
    Array.from({ length: each }, (_, column) => ({ manner, load: loads[(row * 2 + column) % loads.length] ?? 'idle' })),
  );
}

function describe({ manner, load, problems }: Ended): string[] {
  return problems.map((problem) => `${manner}, ${load}: ${problem}`);
}

function slowest(ended: readonly Ended[], isIdle: boolean): number {
  const times = ended.filter(({ load }) => (load === 'idle') === isIdle).map(({ exit }) => exit.milliseconds);
  return Math.round(Math.max(0, ...times));
}

export const figure: Figure = {
  id: 'F13',
  title: 'Clean ends',
  target:
    'exit code 0, within 2 s if idle and 30 s with work; no orphan process; every write in the audit log with its true outcome',
  run: async (size, seed) => {
    const { each, lanes } = sizes[size];
    const rounds = roundsOf(each);
    const parts = Array.from({ length: lanes }, (_, lane) => rounds.filter((_round, index) => index % lanes === lane));
    const ended = (await Promise.all(parts.map((part, lane) => runLane(part, seed, lane)))).flat();
    const failures = ended.flatMap(describe);
    const clean = ended.filter(({ problems }) => problems.length === 0).length;
    const writes = ended.reduce((sum, one) => sum + one.writes, 0);
    return {
      tried: `the built program, ended ${each} times each by ${manners.join(', ')}: idle, with reads, writes or both in flight, with a queue`,
      result: `${clean} of ${ended.length} ended cleanly; the slowest after ${slowest(ended, true)} ms idle, ${slowest(ended, false)} ms with work`,
      details: [
        `${writes} writes reached the academy before or after the client disconnected; each has a completed line in the audit log with its true outcome`,
        'the writes include sync_roster, with one new student, and apply_course_outline, with one title',
      ],
      failures,
      zeros: [
        {
          what: 'unclean shutdowns, orphan processes, or writes with a wrong line in the audit log',
          of: ended.length,
        },
      ],
    };
  },
};
