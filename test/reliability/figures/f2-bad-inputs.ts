import { setTimeout as sleep } from 'node:timers/promises';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import * as z from 'zod';
import { inScope } from '../../support/at-end.ts';
import { openProgram, serverFor, unlimited } from '../../support/connect.ts';
import { createCaller, initialize } from '../../support/http-server.ts';
import { startHttpProgram } from '../../support/program.ts';
import { startListener } from '../f2/academy.ts';
import { badInputs } from '../f2/bad-inputs.ts';
import {
  apiKey,
  argumentsOf,
  createJudge,
  type InputResult,
  type ListedTool,
  listedTool,
  type Reply,
  replySchema,
} from '../f2/judge.ts';
import type { Figure, Size } from '../figure.ts';

type Session = Awaited<ReturnType<typeof openInMemory>>;

/** Inputs for each tool. Over HTTP there are fewer, as each takes longer. */
const perTool: Record<Size, { inMemory: number; overHttp: number }> = {
  short: { inMemory: 40, overHttp: 5 },
  whole: { inMemory: 10_000, overHttp: 500 },
};

/** Milliseconds after which a call counts as hanging. */
const hang = 1_000;
/** How long to wait for a late answer, in milliseconds, so that the next call starts clean. */
const patience = 20_000;

interface Tally {
  readonly results: Map<InputResult, number>;
  requests: number;
  slowest: number;
}

interface Trial {
  readonly session: Session;
  readonly listener: Awaited<ReturnType<typeof startListener>>;
  readonly tool: ListedTool;
  readonly judge: ReturnType<typeof createJudge>;
  readonly tally: Tally;
}

async function timed(session: Session, tool: string, sent: string) {
  const started = performance.now();
  const reply = await session.request('tools/call', { name: tool, arguments: JSON.parse(sent) }, patience);
  return { reply, took: performance.now() - started };
}

async function tryOne({ session, listener, tool, judge, tally }: Trial, sent: string): Promise<void> {
  let { reply, took } = await timed(session, tool.name, sent);
  let requests = listener.heard();
  let result: InputResult;
  try {
    result = judge({ sent, reply, requests });
  } catch (error) {
    // A read of the call before may arrive late, after that call has failed for another reason. A write is never excused.
    if (requests.some((request) => !request.startsWith('GET '))) throw error;
    ({ reply, took } = await timed(session, tool.name, sent));
    requests = listener.heard();
    result = judge({ sent, reply, requests });
  }
  // On a busy machine a call may be late once. A call that hangs does so again.
  const time = took < hang ? took : (await timed(session, tool.name, sent)).took;
  if (time >= hang) throw new Error(`answered only after ${Math.round(time)} ms`);
  listener.heard();
  tally.results.set(result, (tally.results.get(result) ?? 0) + 1);
  tally.requests += requests.length;
  tally.slowest = Math.max(tally.slowest, time);
}

const pristine = Object.getOwnPropertyNames(Object.prototype).length;

async function tryTool(trial: Trial, numRuns: number, seed: number): Promise<string | undefined> {
  const { name } = trial.tool;
  const property = fc.asyncProperty(badInputs(argumentsOf(trial.tool)), (sent) => tryOne(trial, sent));
  const checked = await fc.check(property, {
    numRuns,
    seed,
    interruptAfterTimeLimit: 120_000,
    markInterruptAsFailure: true,
  });
  if (Object.getOwnPropertyNames(Object.prototype).length !== pristine) return `${name}: Object.prototype was changed`;
  if (!checked.failed) return undefined;
  const { counterexample, counterexamplePath, errorInstance, numRuns: runs } = checked;
  const why = errorInstance instanceof Error ? errorInstance.message : `interrupted after ${runs} inputs`;
  const input = String(counterexample?.[0] ?? '').slice(0, 300);
  return `path ${counterexamplePath ?? '-'}: ${name} ${input}: ${why}`;
}

async function listTools(session: Session): Promise<ListedTool[]> {
  const reply = await session.request('tools/list', {}, patience);
  return z.object({ tools: z.array(listedTool) }).parse(reply?.result).tools;
}

async function tryAll(
  open: (settings: Record<string, string>) => Promise<Session>,
  each: number,
  seed: number,
  tally: Tally,
) {
  const listener = await startListener();
  const session = await open(unlimited(listener.url, apiKey, { LOG_LEVEL: 'silent' }));
  const tools = await listTools(session);
  const failures: string[] = [];
  for (const tool of tools) {
    const failure = await tryTool({ session, listener, tool, judge: createJudge(tool), tally }, each, seed);
    if (failure !== undefined) failures.push(failure);
  }
  return { tools: tools.length, failures };
}

export const figure: Figure = {
  id: 'F2',
  title: 'Bad arguments',
  target:
    '0 crashes, 0 hangs over 1 s, 0 requests for arguments that the schema refuses, 0 requests to another path, 0 answers that show internals',
  run: async (size, seed) => {
    const tally: Tally = { results: new Map(), requests: 0, slowest: 0 };
    const { inMemory, overHttp } = perTool[size];
    const near = await inScope(() => tryAll(openInMemory, inMemory, seed, tally));
    const far = await inScope(() => tryAll(openHttp, overHttp, seed, tally));
    const failures = [...near.failures, ...far.failures.map((failure) => `over HTTP, ${failure}`)];
    const { results, requests, slowest } = tally;
    const inputs = near.tools * (inMemory + overHttp);
    const counts = [...results].map(([result, count]) => `${count.toLocaleString('en')} ${result}`).join(', ');
    const zeros = [
      'crashes or hangs',
      'requests for an input that the schema refuses',
      'requests to the path of another call',
    ];
    return {
      tried: `${inMemory.toLocaleString('en')} inputs for each of ${near.tools} tools through the real server in memory, and ${overHttp} over HTTP, with an academy that records every request: valid and nearly valid arguments, hostile texts, arbitrary JSON`,
      result:
        failures.length > 0
          ? `${failures.length} of ${near.tools} tools answered an input wrongly`
          : `0 of ${inputs.toLocaleString('en')}; slowest answer ${Math.round(slowest)} ms`,
      details: [
        'if an argument is a list or a record, as in apply_course_outline and sync_roster, each of its parts is wrong in turn; an outline with other lessons is refused after the course was read, and nothing is written',
        `results: ${counts}; ${requests.toLocaleString('en')} requests were sent for valid arguments`,
      ],
      failures,
      zeros: zeros.map((what) => ({ what, of: inputs })),
    };
  },
};

/** A body of more than a mebibyte is refused before it is read. It counts as a refused input. */
function tooLong(id: number): Reply {
  const text = 'invalid_input: the body is longer than 1048576 bytes.';
  return { id, result: { content: [{ type: 'text', text }], isError: true } };
}

/** The real server, with plain messages: a client would check and convert the inputs. */
async function openInMemory(settings: Record<string, string>) {
  const { app } = openProgram(settings);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const waiting = new Map<number, (reply: Reply) => void>();
  let last = 0;
  ours.onmessage = (received) => {
    const reply = replySchema.parse(received);
    waiting.get(reply.id ?? 0)?.(reply);
    waiting.delete(reply.id ?? 0);
  };
  await serverFor(app, 'reliability').connect(theirs);

  async function request(method: string, params: unknown, longest: number): Promise<Reply | undefined> {
    last += 1;
    const id = last;
    const reply = new Promise<Reply>((resolve) => waiting.set(id, resolve));
    const answered = new AbortController();
    const late = sleep(longest, undefined, answered).catch(() => undefined);
    // The message is wrong on purpose, so it does not fit the type.
    await ours.send({ jsonrpc: '2.0', id, method, params } as JSONRPCMessage);
    return await Promise.race([reply, late]).finally(() => answered.abort());
  }

  await request('initialize', initialize.params, 5_000);
  return { request };
}

/** The built program over HTTP, in a session, with plain messages. */
async function openHttp(environment: Record<string, string>): Promise<Session> {
  const { url } = await startHttpProgram({ environment });
  const caller = createCaller(url, 1);
  const session = await caller.open();
  let last = 0;
  return {
    request: async (method, params, longest) => {
      last += 1;
      const message = { jsonrpc: '2.0', id: last, method, params };
      const answer = await caller.send(message, session, AbortSignal.timeout(longest)).catch((error: unknown) => {
        if (error instanceof DOMException) return undefined;
        throw error;
      });
      if (answer?.status === 413) return tooLong(last);
      return answer === undefined ? undefined : replySchema.parse(answer.message);
    },
  };
}
