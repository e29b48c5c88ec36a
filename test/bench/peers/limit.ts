import { setTimeout as wait } from 'node:timers/promises';
import { passOn } from '../../support/pass-on.ts';
import { type Reply, startRecorder } from '../../support/recorder.ts';
import type { Benchmark } from '../benchmark.ts';
import { count } from '../figures.ts';
import { academyMcp, type Launch, type McpProcess, openSandbox, openServer } from '../processes.ts';
import { perSecond } from '../statistics.ts';
import { findPeers, type Peers } from './peers.ts';

/** A 429 with no more than the API document shows. */
const bareRefusal: Reply = {
  status: 429,
  body: {
    error: 'Rate limit exceeded',
    errors: [{ code: 'rate_limited', message: 'Rate limit exceeded' }],
    request_id: 'none',
  },
};

/** `saysWhen`: whether a 429 tells when to come back, as that of the sandbox does. The API document shows no such thing. */
async function openProxy(target: string, saysWhen: boolean) {
  const statuses = new Map<number, number>();
  const { url } = await startRecorder(async ({ method, url: path, headers, raw }) => {
    const done = await passOn(target, { method, path, headers, body: raw });
    statuses.set(done.status, (statuses.get(done.status) ?? 0) + 1);
    return done.status === 429 && !saysWhen ? bareRefusal : done;
  });
  return { url, statuses };
}

const calls = 90;
const inFlight = 10;
const limit = 60;
/** After this, a client on the SDK gives up a call, unless it is set to wait longer. */
const clientTimeout = 60;

interface Load {
  readonly name: string;
  readonly tool: string;
  /** Whether a 429 of the academy tells when to come back. */
  readonly saysWhen: boolean;
  launch(environment: Record<string, string>): Launch;
}

function loadsFor({ ivotoby, mcpOpenapi }: Peers): Load[] {
  const patient = { ACADEMY_MAX_WAIT_MS: '90000' };
  const ours = [
    { name: 'academy-mcp', tool: 'list_orders', launch: academyMcp },
    {
      name: 'academy-mcp, waits up to 90 s',
      tool: 'list_orders',
      launch: (environment: Record<string, string>) => academyMcp({ ...environment, ...patient }),
    },
  ];
  const others = [ivotoby, mcpOpenapi].map(({ name, tools, launch }) => ({ name, tool: tools.listOrders, launch }));
  return [false, true].flatMap((saysWhen) => [...ours, ...others].map((one) => ({ ...one, saysWhen })));
}

/** One call of the agent. Times in seconds, from the start of the load and of the call. */
interface Call {
  readonly isError: boolean;
  readonly text: string;
  readonly at: number;
  readonly took: number;
}

/** The agent makes a call again if the refusal tells when. Otherwise it gives the call up. */
async function callPatiently(call: () => Promise<Call>): Promise<Call[]> {
  const made: Call[] = [];
  for (;;) {
    const last = await call();
    made.push(last);
    const [, seconds] = /try again in (\d+) s/i.exec(last.text) ?? [];
    if (!last.isError || seconds === undefined) return made;
    await wait(Number(seconds) * 1000);
  }
}

async function runAgent(server: McpProcess, tool: string): Promise<Call[]> {
  const started = performance.now();
  const now = () => (performance.now() - started) / 1000;
  const made: Call[] = [];
  await perSecond(calls, inFlight, async (index) => {
    const call = async () => {
      const began = now();
      const { isError, text } = await server.callTool(tool, { per_page: 1, page: index + 1 });
      return { isError, text, at: now(), took: now() - began };
    };
    made.push(...(await callPatiently(call)));
  });
  return made;
}

type Result = Awaited<ReturnType<typeof measure>>;

async function measure(load: Load) {
  const sandbox = await openSandbox(['--rate-limit', String(limit)]);
  const { url, statuses } = await openProxy(sandbox.environment.ACADEMY_BASE_URL ?? '', load.saysWhen);
  const server = await openServer(load.launch({ ...sandbox.environment, ACADEMY_BASE_URL: url }));
  return { load, made: await runAgent(server, load.tool), statuses };
}

const oneDecimal = (seconds: number) => seconds.toFixed(1);

function figuresOf({ made, statuses }: Result) {
  const good = made.filter(({ isError }) => !isError);
  const refused = made.filter(({ isError }) => isError);
  return {
    answered: good.length,
    refused: refused.length,
    tooMany: refused.filter(({ text }) => /\b429\b/.test(text)).length,
    requests: [...statuses.values()].reduce((total, number) => total + number, 0),
    rejected: statuses.get(429) ?? 0,
    last: oneDecimal(Math.max(...good.map(({ at }) => at))),
    longest: oneDecimal(Math.max(...made.map(({ took }) => took))),
  };
}

function rowOf(result: Result): string[] {
  const { answered, refused, tooMany, requests, rejected, last, longest } = figuresOf(result);
  const { name, saysWhen } = result.load;
  return [name, saysWhen ? 'yes' : 'no', ...[answered, refused, tooMany, requests, rejected].map(count), last, longest];
}

export const genericLimit: Benchmark = {
  name: 'rate-limit',
  title: 'At the rate limit, beside generic servers',
  run: async () => {
    const results = await Promise.all(loadsFor(await findPeers()).map((load) => measure(load)));
    const columns = [
      ...['Server', '429 says when', 'Answered', 'Refused calls', 'of them by a 429 of the API'],
      ...['Requests to the API', 'of them a 429', 'Last answer, s', 'Longest call, s'],
    ];
    return {
      tables: [{ columns, rows: results.map(rowOf) }],
      notes: [
        `${calls} different calls, ${inFlight} at a time, to a sandbox that allows ${limit} requests a minute. If a refusal says in how many seconds to try again, the agent waits for them and makes the call again; otherwise it gives the call up. A proxy in between counts the requests. A 429 of the sandbox says when to come back, in the header Retry-After and in its message. The API document shows neither, so the proxy removes both for the rows with "no". The loads run in parallel, because they mostly wait.`,
        `By default, academy-mcp refuses a call that would wait longer than 45 s, and says how long; \`ACADEMY_MAX_WAIT_MS=90000\` makes that 90 s. Neither makes a request that the API would reject. Clients on the SDK give up a call after ${clientTimeout} s by default.`,
      ],
    };
  },
};
