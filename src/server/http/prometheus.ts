import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Budget } from '../../api/rate-limit/limiter.ts';
import type { AccountBudget } from '../../app.ts';
import type { CallerToken } from '../../config/value-schemas.ts';
import type { Meter } from '../../shared/metrics.ts';
import { version } from '../../version.ts';

export type Prometheus = ReturnType<typeof createPrometheus>;

/** Seconds: from an answer in the local network to one that waited for the account's rate limit. */
const buckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

type NamedCaller = Pick<CallerToken, 'name'>;

/** The value of the label for callers: their name, or `other` for those that the settings do not name. */
function callerLabel(callers: readonly NamedCaller[]): (caller: string) => { caller?: string } {
  const names = new Map(callers.flatMap(({ name }) => (name === undefined ? [] : [[`token:${name}`, name]])));
  if (names.size === 0) return () => ({});
  return (caller) => ({ caller: names.get(caller) ?? 'other' });
}

/** A value of one account, or of the program. Undefined: no sample. */
interface Sample {
  readonly account?: string | undefined;
  readonly value: number | undefined;
}

interface PrometheusOptions {
  /** Whether everything is measured for each account of an accounts file. */
  hasAccounts?: boolean;
  callers?: readonly NamedCaller[];
}

/** Metrics for GET /metrics. Labels come from fixed sets, so that no caller can add new ones. */
export function createPrometheus({ hasAccounts = false, callers = [] }: PrometheusOptions = {}) {
  const registry = new Registry();
  const registers = [registry];
  const accountLabel = hasAccounts ? ['account'] : [];
  const labelOf = callerLabel(callers);

  function counter(name: string, help: string, ...labels: string[]): Counter<string> {
    return new Counter({ name, help, labelNames: [...accountLabel, ...labels], registers });
  }

  function seconds(name: string, help: string, ...labels: string[]): Histogram<string> {
    return new Histogram({ name, help, labelNames: [...accountLabel, ...labels], registers, buckets });
  }

  /** A gauge that reads its values at each scrape. It has no sample for an undefined value, such as a limit that is off. */
  function gauge(name: string, help: string, read: () => readonly Sample[], labelNames = accountLabel): void {
    const each: Gauge<string> = new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect: () => {
        // Without labels, a reset gauge has a sample of 0.
        if (labelNames.length === 0) each.remove();
        else each.reset();
        for (const { account, value } of read()) {
          if (value !== undefined) each.set(account === undefined ? {} : { account }, value);
        }
      },
    });
  }

  collectDefaultMetrics({ register: registry });
  const build = { name: 'academy_mcp_build_info', help: 'Version of the running server.', labelNames: ['version'] };
  new Gauge({ ...build, registers }).set({ version }, 1);
  const calls = counter(
    'academy_mcp_tool_calls_total',
    'Completed tool calls, by tool and error code ("ok" without an error, "input_required" if the call ended with a question).',
    ...['tool', 'code', ...Object.keys(labelOf(''))],
  );
  const callSeconds = seconds('academy_mcp_tool_call_duration_seconds', 'Time from a tool call to its answer.', 'tool');
  const requests = counter(
    'academy_mcp_api_requests_total',
    'Requests to the API, by operation and HTTP status or kind of failure.',
    ...['operation', 'status'],
  );
  const requestSeconds = seconds(
    'academy_mcp_api_request_duration_seconds',
    'Time from sending a request to the API to its answer.',
  );
  const waits = seconds('academy_mcp_api_wait_seconds', "Time that requests waited for the account's rate limit.");
  const events = counter(
    'academy_mcp_events_total',
    'Webhook deliveries by answer (stored, duplicate, refused), and events by check (verified, not_verified, discarded).',
    ...['event', 'result'],
  );

  return {
    /** The measurements of an account of an accounts file, or of the only one. */
    meterOf: (account?: string): Meter => {
      const own = account === undefined ? {} : { account };
      return {
        call: (tool, code, duration, caller) => {
          calls.inc({ ...own, tool, code, ...labelOf(caller) });
          callSeconds.observe({ ...own, tool }, duration);
        },
        request: (operation, status, duration) => {
          requests.inc({ ...own, operation, status });
          requestSeconds.observe(own, duration);
        },
        wait: (duration) => waits.observe(own, duration),
        event: (event, result) => events.inc({ ...own, event, result }),
      };
    },
    // Each of these registers a function that is asked at each scrape.
    watchBudgets: (budgets: () => readonly AccountBudget[]): void => {
      const watch = (name: string, help: string, read: (budget: Budget) => number | undefined) =>
        gauge(name, help, () => budgets().map(({ account, budget }) => ({ account, value: read(budget) })));
      watch('academy_mcp_api_budget_limit', 'Current limit of requests a minute to the API.', ({ limit }) => limit);
      watch('academy_mcp_api_budget_remaining', 'Requests that can be sent immediately.', ({ remaining }) => remaining);
      watch('academy_mcp_api_queue', 'Requests waiting for the rate limit.', ({ queued }) => queued);
    },
    watchSessions: (count: () => number): void =>
      gauge('academy_mcp_sessions', 'Open sessions.', () => [{ value: count() }], []),
    watchShared: (isUp: () => boolean): void => {
      const help = '1 while the replicas share Redis, 0 while it is lost.';
      gauge('academy_mcp_redis_up', help, () => [{ value: isUp() ? 1 : 0 }], []);
    },
    watchEvents: (unchecked: () => readonly Sample[]): void =>
      gauge('academy_mcp_events_unchecked', 'Events that the API has not been read for yet.', unchecked),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
