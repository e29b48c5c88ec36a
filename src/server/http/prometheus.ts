import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Budget } from '../../api/rate-limit/limiter.ts';
import type { AccountBudget } from '../../app.ts';
import type { Meter } from '../../shared/metrics.ts';
import type { SharedStatus } from '../../shared/shared-store.ts';
import { version } from '../../version.ts';

export interface Prometheus {
  /** The measurements of an account of an accounts file, or of the only one. */
  meterOf(account?: string): Meter;
  /** Registers the function that returns the API budget of each account at each scrape. */
  watchBudgets(budgets: () => readonly AccountBudget[]): void;
  /** Registers the function that returns the number of sessions at each scrape. */
  watchSessions(count: () => number): void;
  /** Registers the function that tells, at each scrape, whether the replicas share a Redis now. */
  watchShared(status: () => SharedStatus): void;
  /** Registers the function that returns the number of events of each account whose check is awaited at each scrape. */
  watchEvents(unchecked: () => readonly Sample[]): void;
  /** Prometheus text format 0.0.4. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Seconds: from an answer in the local network to one that waited for the account's rate limit. */
const buckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** The label of all measurements if there are several accounts. */
type AccountLabel = readonly ['account'] | readonly [];

interface NamedCaller {
  readonly name?: string | undefined;
}

/** The value of the label for callers: their name, or `other` for those that the settings do not name. */
function callerLabel(callers: readonly NamedCaller[]): (caller: string) => { caller?: string } {
  const names = new Map(callers.flatMap(({ name }) => (name === undefined ? [] : [[`token:${name}`, name]])));
  if (names.size === 0) return () => ({});
  return (caller) => ({ caller: names.get(caller) ?? 'other' });
}

function createMeters(
  registers: Registry[],
  label: AccountLabel,
  callers: readonly NamedCaller[],
): (account?: string) => Meter {
  const labelOf = callerLabel(callers);
  const shared = { registers, buckets };
  const calls = new Counter({
    name: 'academy_mcp_tool_calls_total',
    help: 'Completed tool calls, by tool and error code ("ok" without an error, "input_required" if the call ended with a question).',
    labelNames: [...label, 'tool', 'code', ...Object.keys(labelOf(''))],
    registers,
  });
  const callSeconds = new Histogram({
    name: 'academy_mcp_tool_call_duration_seconds',
    help: 'Time from a tool call to its answer.',
    labelNames: [...label, 'tool'],
    ...shared,
  });
  const requests = new Counter({
    name: 'academy_mcp_api_requests_total',
    help: 'Requests to the API, by operation and HTTP status or kind of failure.',
    labelNames: [...label, 'operation', 'status'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'academy_mcp_api_request_duration_seconds',
    help: 'Time from sending a request to the API to its answer.',
    labelNames: label,
    ...shared,
  });
  const waits = new Histogram({
    name: 'academy_mcp_api_wait_seconds',
    help: "Time that requests waited for the account's rate limit.",
    labelNames: label,
    ...shared,
  });
  const events = new Counter({
    name: 'academy_mcp_events_total',
    help: 'Webhook deliveries by answer (stored, duplicate, refused), and events by check (verified, not_verified, discarded).',
    labelNames: [...label, 'event', 'result'],
    registers,
  });
  return (account) => {
    const own = account === undefined ? {} : { account };
    return {
      call: (tool, code, seconds, caller) => {
        calls.inc({ ...own, tool, code, ...labelOf(caller) });
        callSeconds.observe({ ...own, tool }, seconds);
      },
      request: (operation, status, seconds) => {
        requests.inc({ ...own, operation, status });
        requestSeconds.observe(own, seconds);
      },
      wait: (seconds) => waits.observe(own, seconds),
      event: (event, result) => events.inc({ ...own, event, result }),
    };
  };
}

/** A value of one account, or of the program. Undefined: no sample. */
interface Sample {
  readonly account?: string | undefined;
  readonly value: number | undefined;
}

/** A gauge that reads its values at each scrape. It has no sample for an undefined value, such as a limit that is off. */
function readGauge(
  registers: Registry[],
  label: AccountLabel,
  name: string,
  help: string,
  read: () => readonly Sample[],
): void {
  const gauge: Gauge<string> = new Gauge({
    name,
    help,
    labelNames: label,
    registers,
    collect: () => {
      // Without labels, a reset gauge has a sample of 0.
      if (label.length === 0) gauge.remove();
      else gauge.reset();
      for (const { account, value } of read()) {
        if (value !== undefined) gauge.set(account === undefined ? {} : { account }, value);
      }
    },
  });
}

/**
 * Metrics for GET /metrics. Labels come from fixed sets, so that no caller can add new ones. `hasAccounts`: whether
 * everything is measured for each account of an accounts file. `callers`: those that have a name.
 */
export function createPrometheus({
  hasAccounts = false,
  callers = [],
}: {
  hasAccounts?: boolean;
  callers?: readonly NamedCaller[];
} = {}): Prometheus {
  const registry = new Registry();
  const label: AccountLabel = hasAccounts ? ['account'] : [];
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'academy_mcp_build_info',
    help: 'Version of the running server.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
  return {
    meterOf: createMeters(registers, label, callers),
    watchBudgets: (budgets) => {
      const watch = (name: string, help: string, read: (budget: Budget) => number | undefined) =>
        readGauge(registers, label, name, help, () =>
          budgets().map(({ account, budget }) => ({ account, value: read(budget) })),
        );
      watch('academy_mcp_api_budget_limit', 'Current limit of requests a minute to the API.', ({ limit }) => limit);
      watch('academy_mcp_api_budget_remaining', 'Requests that can be sent immediately.', ({ remaining }) => remaining);
      watch('academy_mcp_api_queue', 'Requests waiting for the rate limit.', ({ queued }) => queued);
    },
    watchSessions: (count) =>
      readGauge(registers, [], 'academy_mcp_sessions', 'Open sessions.', () => [{ value: count() }]),
    watchShared: (status) => {
      const watch = (name: string, help: string, read: (status: SharedStatus) => number) =>
        readGauge(registers, [], name, help, () => [{ value: read(status()) }]);
      watch('academy_mcp_redis_up', '1 while the replicas share Redis, 0 while it is lost.', ({ isUp }) =>
        isUp ? 1 : 0,
      );
      watch('academy_mcp_redis_losses', 'Times that Redis was lost or emptied.', ({ losses }) => losses);
    },
    watchEvents: (unchecked) => {
      const help = 'Events that the API has not been read for yet.';
      readGauge(registers, label, 'academy_mcp_events_unchecked', help, unchecked);
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
