import type { Logger } from 'pino';
import { type ApiClient, type ApiClientOptions, createApiClient } from './api/client.ts';
import { createEnd } from './api/end-signal.ts';
import { createHttp, type Http } from './api/http.ts';
import type { Limiter } from './api/limiter.ts';
import type { Outcome } from './api/outcome.ts';
import { createSlidingLimiter } from './api/sliding-limiter.ts';
import { isObject } from './api/tolerate.ts';
import { createUnlimited } from './api/unlimited.ts';
import { createAuditLog, noAudit } from './audit.ts';
import { type Config, secretsOf } from './config.ts';
import { getAccount } from './contract/account.ts';
import type { Operation } from './contract/operation.ts';
import { createKeyedHash, hashSecretOf } from './keyed-hash.ts';
import { withConfirmation } from './mcp/confirm.ts';
import { createConfirmCodes } from './mcp/confirm-code.ts';
import { createCursors } from './mcp/cursor.ts';
import { createHide } from './mcp/hide.ts';
import { instructionsFor } from './mcp/instructions.ts';
import { createJobs } from './mcp/jobs.ts';
import { createListCache } from './mcp/list-cache.ts';
import type { Principal } from './mcp/principal.ts';
import { selectTools } from './mcp/select.ts';
import { createServices, type Service } from './mcp/service.ts';
import type { Conversation, Tool } from './mcp/tool.ts';
import type { Meter } from './metrics.ts';
import { name, version } from './version.ts';

/** Everything of a running program that is not a transport. */
export interface App {
  readonly api: ApiClient;
  readonly tools: readonly Tool[];
  /** What one caller gets; all share the client, its limiter and its connections. */
  serviceFor(principal: Principal, conversation: Conversation): Service;
  /** Calls that have not answered yet. */
  readonly running: ReadonlySet<Promise<unknown>>;
  close(): Promise<void>;
}

export interface AppOptions {
  config: Config;
  tools: readonly Tool[];
  log: Logger;
  /** The academy is the embedded one: said in name and instructions, so that nobody takes its data for real. */
  sandbox?: boolean;
  /** Factor of all pauses of the client: 1, or less in a test that cannot wait. */
  pace?: number | undefined;
  meter?: Meter | undefined;
  /** The clock that "today" and "last week" go by; what is kept for a further part then goes by it too. */
  now?: () => Date;
}

/** Requests a minute. API document: "Limits". */
const standardLimit = 60;
const academyPlanLimit = 300;

/** The document does not show the plan's exact name; "academy plan" is what it calls it. */
function limitOfPlan(answer: object): number | undefined {
  const account: unknown = 'account' in answer ? answer.account : undefined;
  const plan: unknown = isObject(account) ? account.subscription_plan : undefined;
  if (typeof plan !== 'string') return undefined;
  return /academy/i.test(plan) ? academyPlanLimit : standardLimit;
}

function createLimiter({ rateLimit, rateShare, maxWaitMs }: Config): Limiter {
  if (rateLimit === 'off') return createUnlimited(maxWaitMs);
  return createSlidingLimiter({ limit: rateLimit === 'auto' ? standardLimit : rateLimit, share: rateShare, maxWaitMs });
}

interface ClientExtras extends Pick<ApiClientOptions, 'audit' | 'meter' | 'pace'> {
  /** Hears what became of each attempt, before it is read. */
  onOutcome?: (outcome: Outcome) => void;
}

function overheard(http: Http, onOutcome: ((outcome: Outcome) => void) | undefined): Http {
  if (onOutcome === undefined) return http;
  const send: Http['send'] = async (request, options) => {
    const outcome = await http.send(request, options);
    onOutcome(outcome);
    return outcome;
  };
  return { ...http, send };
}

export function createApi(config: Config, log: Logger, { onOutcome, ...more }: ClientExtras = {}): ApiClient {
  const scheme = config.authScheme === 'token' ? 'Token token=' : 'Bearer ';
  const identity = {
    authorization: scheme + config.apiKey,
    userAgent: `${name}/${version}`,
    timeoutMs: config.timeoutMs,
  };
  const http = overheard(createHttp(identity), onOutcome);
  const limiter = createLimiter(config);
  const onAnswer = (operation: Operation, answer: object) => {
    const limit = operation.id === getAccount.id ? limitOfPlan(answer) : undefined;
    if (config.rateLimit === 'auto' && limit !== undefined) limiter.setLimit(limit);
  };
  const { baseUrl, quarantineMs, preflight } = config;
  const deadlineMs = config.maxWaitMs + config.timeoutMs;
  return createApiClient({ baseUrl, http, limiter, log, onAnswer, deadlineMs, quarantineMs, preflight, ...more });
}

export function createApp(options: AppOptions): App {
  const { config, tools, log, sandbox = false, pace, meter, now: clock } = options;
  const now = clock ?? (() => new Date());
  const studentHash = createKeyedHash(hashSecretOf(config), 'student');
  const audit = config.auditLog === undefined ? noAudit : createAuditLog(config.auditLog, studentHash);
  const api = createApi(config, log, { audit, meter, ...(pace === undefined ? {} : { pace }) });
  const jobs = createJobs(clock && (() => clock().getTime()));
  const kept = { lists: createListCache(), jobs, cursors: createCursors(config.confirmSecret) };
  const running = new Set<Promise<unknown>>();
  const consent = {
    policy: config.confirm,
    codes: createConfirmCodes(config.confirmSecret),
    lockdown: config.lockdown,
  };
  const offered = selectTools(tools, config).map((tool) => withConfirmation(tool, consent));
  const instructions = instructionsFor(offered, { sandbox, readOnly: config.readOnly });
  const serverName = sandbox ? `${name} (sandbox)` : name;
  const hide = createHide(secretsOf(config));
  const ending = createEnd();
  const words = { name: serverName, version, instructions, codes: consent.codes };
  return {
    api,
    tools: offered,
    running,
    serviceFor: createServices({
      tools: offered,
      ...words,
      ...kept,
      timezone: config.timezone,
      now,
      api,
      log,
      hide,
      running,
      meter,
      end: ending.signal,
    }),
    close: () => {
      ending.abort();
      return api.close();
    },
  };
}
