import type { Logger } from 'pino';
import type { ApiClientOptions } from './api/api.ts';
import { type ApiClient, createApiClient } from './api/client.ts';
import { createHttp } from './api/http/http.ts';
import { type Budget, createLimiter, limitOfPlan } from './api/rate-limit/limiter.ts';
import type { SharedState, TokenLog } from './api/rate-limit/token-pool.ts';
import { type Config, secretsOf } from './config/load.ts';
import { getAccount } from './contract/account.ts';
import type { Operation } from './contract/operation.ts';
import { startEventChecks } from './events/event-checks.ts';
import type { EventFeed, EventInbox } from './events/event-feed.ts';
import type { Catalog } from './mcp/catalog.ts';
import { withConfirmation } from './mcp/confirmation/confirm.ts';
import {
  createExportFolder,
  createExportLinks,
  createExportPlace,
  type ExportPlace,
  exportQuota,
} from './mcp/exports.ts';
import { createImportFolder } from './mcp/import-folder.ts';
import { filterTools } from './mcp/listing.ts';
import { createRedactor } from './mcp/output/redact.ts';
import type { Principal } from './mcp/principal.ts';
import { createServices, type Service } from './mcp/service.ts';
import type { Conversation, Tool } from './mcp/tool.ts';
import { createStores } from './mcp/workflow-stores.ts';
import { mirrorFileOf } from './mirror/file/mirror-file.ts';
import { createMirror, noteEvents } from './mirror/mirror.ts';
import { createCursors } from './shared/cursor.ts';
import { hashSecretOf } from './shared/keyed-hash.ts';
import { isLoopback } from './shared/loopback.ts';
import { type Meter, noMeter } from './shared/metrics.ts';
import { createMemoryStore } from './shared/shared-store.ts';
import { createShutdownSignal, waitForAll } from './shared/shutdown.ts';
import { createStartParts, hasJournalFile, type StartParts, type StartPartsOptions } from './start-parts.ts';
import { name, version } from './version.ts';

/** The running program without its transports. */
export interface App {
  /** As clients see it. Says so if the academy is the embedded one. */
  readonly name: string;
  readonly tools: readonly Pick<Tool, 'name'>[];
  /** Returns the service of one caller. All share the API client, its rate limiter and its connections. */
  serviceFor(principal: Principal, conversation: Conversation): Service;
  readonly running: ReadonlySet<Promise<unknown>>;
  budgets(): readonly AccountBudget[];
  /** Why no account can be used, in a few words; undefined if one can. */
  problem(): string | undefined;
  /** What the replicas of this deployment share; undefined for one process. */
  readonly shared?: SharedState | undefined;
  /** Ends reads at once. A write that was sent still finishes. */
  endReads(): void;
  close(): Promise<void>;
}

export interface AccountBudget {
  readonly account?: string | undefined;
  readonly budget: Budget;
}

export interface AppOptions extends Catalog, StartPartsOptions {
  /** Secrets that no answer may contain; default: those of `config`. */
  secrets?: readonly string[] | undefined;
  /** Those that have served the client so far; default: new ones. */
  parts?: StartParts;
  /** Multiplies all pauses of the API client: 1, or less in tests. */
  pace?: number | undefined;
  /** Default: that of the settings. */
  api?: ApiClient | undefined;
  meter?: Meter | undefined;
  /** The events of the account. Those of an inbox are checked by this program. The caller closes it. */
  events?: EventFeed | EventInbox | undefined;
  /** For clients that may be on other machines: exports are links, and no file is imported. Default: files of the folders of the settings. */
  linksExports?: boolean;
  /** Where those links lead; default: a place of this app alone. */
  exportPlace?: ExportPlace | undefined;
  /** The clock for "today", "last week" and the expiry of stored results. */
  now?: () => Date;
  shared?: SharedState | undefined;
}

interface ClientExtras extends Pick<ApiClientOptions, 'audit' | 'journal' | 'meter' | 'pace' | 'store' | 'now'> {
  tokens?: TokenLog | undefined;
}

export function createApi(config: Config, log: Logger, { tokens, ...more }: ClientExtras = {}): ApiClient {
  const scheme = config.authScheme === 'token' ? 'Token token=' : 'Bearer ';
  const identity = {
    authorization: scheme + config.apiKey,
    userAgent: `${name}/${version}`,
    timeoutMs: config.timeoutMs,
    usesProxy: !isLoopback(config.baseUrl),
  };
  const http = createHttp(identity);
  const limiter = createLimiter(config, tokens, log);
  const onAnswer = (operation: Operation, answer: object) => {
    const limit = operation.id === getAccount.id ? limitOfPlan(answer) : undefined;
    if (config.rateLimit === 'auto' && limit !== undefined) limiter.setLimit(limit);
  };
  const { baseUrl, quarantineMs, preflight, maxWaitMs } = config;
  const writes = { quarantineMs, preflight, maxWaitMs };
  const deadlineMs = maxWaitMs + config.timeoutMs;
  return createApiClient({ baseUrl, http, limiter, log, onAnswer, deadlineMs, ...writes, ...more });
}

/** Calls that ask the mirror get this long to finish at shutdown, like all others. Milliseconds. */
const mirrorGraceMs = 5_000;

function mirrorFor(
  { mirror, mirrorShare, baseUrl, timezone, maxWaitMs }: Config,
  account: string | undefined,
  parts: { api: ApiClient; log: Logger; now: () => Date },
) {
  const file = mirrorFileOf(mirror, account);
  return createMirror({ ...parts, file, share: mirrorShare, baseUrl, timezone, refreshMs: maxWaitMs });
}

/** For the exports of all accounts together, on all replicas. */
export function exportPlaceOf({ shared, config }: Pick<AppOptions, 'shared' | 'config'>): ExportPlace {
  return createExportPlace(
    shared?.storeOf('exports', hashSecretOf(config)) ?? createMemoryStore({ maxWeight: 2 * exportQuota.ofAll }),
  );
}

export type AccountApp = ReturnType<typeof createApp>;

/** The program for one account: its client, limiter, caches and cursors belong to no other. */
export function createApp(options: AppOptions) {
  const { config, log, account, meter, events, shared: state, now: clock } = options;
  const now = clock ?? (() => new Date());
  const parts = options.parts ?? createStartParts(options);
  const { audit, journal, codes, running } = parts;
  const academy = `${config.baseUrl.href} ${account ?? ''}`;
  const store = state?.storeOf(`account ${academy}`, hashSecretOf(config));
  if (store !== undefined) codes.useStore(store);
  const tokens = state?.tokensOf(config.baseUrl);
  const milliseconds = clock && (() => clock().getTime());
  const timing = { now: milliseconds, ...(options.pace === undefined ? {} : { pace: options.pace }) };
  const ownApi = options.api ?? createApi(config, log, { audit, journal, meter, store, tokens, ...timing });
  const mirror = config.mirror === 'off' ? undefined : mirrorFor(config, account, { api: ownApi, log, now });
  const api = mirror?.api ?? ownApi;
  const consent = { policy: config.confirm, codes, lockdown: config.lockdown };
  const listedTools = filterTools(options.tools, { ...config, hasEvents: events !== undefined });
  const tools = listedTools.map((tool) => withConfirmation(tool, consent));
  const redact = createRedactor(options.secrets ?? secretsOf(config));
  const exports = options.linksExports
    ? createExportLinks({ place: options.exportPlace ?? exportPlaceOf(options), academy, redact, now })
    : createExportFolder({ folder: config.exportDir, redact, now });
  const shutdown = createShutdownSignal();
  if (events !== undefined && 'receive' in events) {
    const terms = { signal: shutdown.signal, pace: options.pace, replicas: config.replicas };
    startEventChecks({ inbox: events, api, log, meter: meter ?? noMeter, ...terms });
  }
  const endNotes = mirror && events && noteEvents(events, mirror.note);
  // A client has asked for the tools: from now on the mirror may be opened, and unknown outcomes looked for. This begins after
  // the answer has gone out, which so never waits for the database or the journal.
  const listed = () => {
    if (mirror !== undefined) setImmediate(mirror.start);
    if (hasJournalFile(config)) setImmediate(api.settleJournal);
  };
  const serviceFor = createServices({
    catalog: { ...options, tools },
    ...parts,
    stores: createStores(milliseconds, store),
    cursors: createCursors(config.confirmSecret, account),
    // What the tools may know of the client is copied here, once: a copy for each call would take longer than the call.
    ...api,
    ...{ onListed: listed, events, journal, now, api, mirror, exports, log, redact, meter },
    timezone: config.timezone,
    readImport: options.linksExports ? undefined : createImportFolder(config.importDir),
    end: shutdown.signal,
  });
  return {
    ...{ name: parts.name, api, tools, running, listed, serviceFor },
    budgets: () => [{ account, budget: api.budget() }],
    problem: api.problem,
    shared: state,
    endReads: api.endReads,
    close: async () => {
      shutdown.abort();
      endNotes?.();
      mirror?.stopFilling();
      const closed = api.close();
      // Last: calls that still run may ask it.
      const mirrorClosed = mirror && waitForAll(running, mirrorGraceMs).then(mirror.close);
      await Promise.all([closed, mirrorClosed]);
      // The accounts of a file share it.
      if (account === undefined) await state?.close();
    },
  };
}
