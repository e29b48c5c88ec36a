import type { Logger } from 'pino';
import type { ApiClient } from './api/api.ts';
import { type ApiClientOptions, createApiClient } from './api/client.ts';
import type { Outcome } from './api/http/attempt-result.ts';
import { createHttp, type Http } from './api/http/http.ts';
import type { Limiter } from './api/rate-limit/limiter.ts';
import { createSlidingLimiter } from './api/rate-limit/sliding-window-limiter.ts';
import { createUnlimited } from './api/rate-limit/unlimited.ts';
import { createAuditLog, noAudit } from './api/writes/audit-log.ts';
import { type Config, secretsOf } from './config/load.ts';
import { getAccount } from './contract/account.ts';
import type { Operation } from './contract/operation.ts';
import type { Catalog } from './mcp/catalog.ts';
import { withConfirmation } from './mcp/confirmation/confirm.ts';
import { createConfirmCodes } from './mcp/confirmation/confirm-code.ts';
import { filterTools } from './mcp/filter-tools.ts';
import { createListCache } from './mcp/list-cache.ts';
import { createRedactor } from './mcp/output/redact.ts';
import type { Principal } from './mcp/principal.ts';
import { createServices, type Service } from './mcp/service.ts';
import type { Conversation, Tool } from './mcp/tool.ts';
import { createStores } from './mcp/workflow-stores.ts';
import { createCursors } from './shared/cursor.ts';
import { isObject } from './shared/json.ts';
import { createKeyedHash, hashSecretOf } from './shared/keyed-hash.ts';
import type { Meter } from './shared/metrics.ts';
import { createShutdownSignal } from './shared/shutdown.ts';
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

export interface AppOptions extends Catalog {
  config: Config;
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
  const { config, tools, prompts, resources, log, sandbox = false, pace, meter, now: clock } = options;
  const now = clock ?? (() => new Date());
  const studentHash = createKeyedHash(hashSecretOf(config), 'student');
  const audit = config.auditLog === undefined ? noAudit : createAuditLog(config.auditLog, studentHash);
  const api = createApi(config, log, { audit, meter, ...(pace === undefined ? {} : { pace }) });
  const stores = createStores(clock && (() => clock().getTime()));
  const kept = { lists: createListCache(), stores, cursors: createCursors(config.confirmSecret) };
  const running = new Set<Promise<unknown>>();
  const consent = {
    policy: config.confirm,
    codes: createConfirmCodes(config.confirmSecret),
    lockdown: config.lockdown,
  };
  const offered = filterTools(tools, config).map((tool) => withConfirmation(tool, consent));
  const instructions = options.instructions(offered, { sandbox, readOnly: config.readOnly });
  const serverName = sandbox ? `${name} (sandbox)` : name;
  const redact = createRedactor(secretsOf(config));
  const ending = createShutdownSignal();
  const words = { name: serverName, version, instructions, codes: consent.codes };
  return {
    api,
    tools: offered,
    running,
    serviceFor: createServices({
      catalog: { tools: offered, prompts, resources },
      ...words,
      ...kept,
      timezone: config.timezone,
      now,
      api,
      log,
      redact,
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
