import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { program } from '../../support/built.ts';
import { createCaller } from '../http/caller.ts';
import { startHttpProgram } from '../http-program.ts';
import { readToolAnswer, type ToolAnswer } from '../tool-answer.ts';

/** The way in which a client leaves. */
export const manners = ['SIGTERM', 'stdin closed', 'stdout closed', 'SIGTERM over HTTP'] as const;
export type Manner = (typeof manners)[number];

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly milliseconds: number;
  /** Whether a process that it started is still running. */
  readonly leftOthers: boolean;
  readonly stderr: string;
}

export interface Running {
  /** Calls a tool; the number is the id of its answer. */
  call(id: number, name: string, args: Record<string, unknown>): void;
  answers: ReadonlyMap<number, ToolAnswer>;
  /** Leaves in this way and waits for the end; kills the program after `longest` milliseconds. */
  leave(manner: Manner, longest: number): Promise<Exit>;
}

const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'reliability', version: '1' } };

function groupLives(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

function leaveBy(manner: Manner, child: ChildProcessWithoutNullStreams): void {
  if (manner === 'SIGTERM') child.kill('SIGTERM');
  if (manner === 'stdin closed') child.stdin.end();
  if (manner === 'stdout closed') {
    child.stdout.destroy();
    // Only a write notices a closed pipe: this request makes the program write.
    child.stdin.write('{"jsonrpc":"2.0","id":0,"method":"ping"}\n');
  }
}

export async function startRunning(manner: Manner, environment: Record<string, string>): Promise<Running> {
  return await (manner === 'SIGTERM over HTTP' ? startOverHttp : startOverStdio)(environment);
}

/** The same program over HTTP. All calls are made in one session. */
async function startOverHttp(environment: Record<string, string>): Promise<Running> {
  const program = await startHttpProgram({ environment });
  const caller = createCaller(program.url, 20);
  const session = await caller.open();
  const answers = new Map<number, ToolAnswer>();
  const call = async (id: number, name: string, args: object) => {
    const { message } = await caller.call(id, name, args, session);
    if (message?.result !== undefined) answers.set(id, readToolAnswer(message.result));
  };
  return {
    // A cut connection brings no answer, as over stdio.
    call: (id, name, args) => void call(id, name, args).catch(() => {}),
    answers,
    leave: async (_manner, longest) => {
      const { code, milliseconds } = await program.end(longest);
      await caller.close();
      return { code, signal: null, milliseconds, leftOthers: false, stderr: program.lastWords() };
    },
  };
}

/** The built program as the leader of a process group, so that processes it leaves behind can be detected. */
async function startOverStdio(environment: Record<string, string>): Promise<Running> {
  const env = { PATH: process.env.PATH ?? '', ...environment };
  const child = spawn(process.execPath, [program], { env, detached: true });
  const answers = new Map<number, ToolAnswer>();
  let greeted = () => {};
  const greeting = new Promise<void>((resolve) => {
    greeted = resolve;
  });
  let stderr = '';
  let rest = '';
  child.stdin.on('error', () => {});
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk).slice(-2_000);
  });
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(JSON.parse(line));
  });

  function take({ id, result }: { id?: number; result?: unknown }): void {
    if (id === 1) greeted();
    else if (id !== undefined && result !== undefined) answers.set(id, readToolAnswer(result));
  }

  function send(message: object): void {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  async function leave(manner: Manner, longest: number): Promise<Exit> {
    const closed = once(child, 'exit');
    const started = performance.now();
    leaveBy(manner, child);
    const timer = new AbortController();
    const late = sleep(longest, undefined, { signal: timer.signal }).catch(() => {});
    await Promise.race([closed, late]);
    timer.abort();
    const milliseconds = performance.now() - started;
    const { exitCode: code, signalCode: signal, pid = 0 } = child;
    if (code === null && signal === null) child.kill('SIGKILL');
    await closed;
    return { code, signal, milliseconds, leftOthers: groupLives(pid), stderr };
  }

  send({ id: 1, method: 'initialize', params });
  send({ method: 'notifications/initialized' });
  await Promise.race([greeting, once(child, 'exit')]);
  return {
    call: (id, name, args) => send({ id, method: 'tools/call', params: { name, arguments: args } }),
    answers,
    leave,
  };
}
