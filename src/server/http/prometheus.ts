import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Budget } from '../../api/rate-limit/limiter.ts';
import type { Meter } from '../../shared/metrics.ts';
import { version } from '../../version.ts';

export interface Prometheus {
  readonly meter: Meter;
  /** Registers the function that returns the API budget at each scrape. */
  watchBudget(budget: () => Budget): void;
  /** Registers the function that returns the number of sessions at each scrape. */
  watchSessions(count: () => number): void;
  /** Registers the function that returns the number of events whose check is awaited at each scrape. */
  watchEvents(unchecked: () => number): void;
  /** Prometheus text format 0.0.4. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Seconds: from an answer in the local network to one that waited for the account's rate limit. */
const buckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

function createMeter(registers: Registry[]): Meter {
  const shared = { registers, buckets };
  const calls = new Counter({
    name: 'academy_mcp_tool_calls_total',
    help: 'Completed tool calls, by tool and error code ("ok" without an error, "input_required" if the call ended with a question).',
    labelNames: ['tool', 'code'],
    registers,
  });
  const callSeconds = new Histogram({
    name: 'academy_mcp_tool_call_duration_seconds',
    help: 'Time from a tool call to its answer.',
    labelNames: ['tool'],
    ...shared,
  });
  const requests = new Counter({
    name: 'academy_mcp_api_requests_total',
    help: 'Requests to the API, by operation and HTTP status or kind of failure.',
    labelNames: ['operation', 'status'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'academy_mcp_api_request_duration_seconds',
    help: 'Time from sending a request to the API to its answer.',
    ...shared,
  });
  const waits = new Histogram({
    name: 'academy_mcp_api_wait_seconds',
    help: "Time that requests waited for the account's rate limit.",
    ...shared,
  });
  const events = new Counter({
    name: 'academy_mcp_events_total',
    help: 'Webhook deliveries by answer (stored, duplicate, refused), and events by check (verified, not_verified, discarded).',
    labelNames: ['event', 'result'],
    registers,
  });
  return {
    call: (tool, code, seconds) => {
      calls.inc({ tool, code });
      callSeconds.observe({ tool }, seconds);
    },
    request: (operation, status, seconds) => {
      requests.inc({ operation, status });
      requestSeconds.observe(seconds);
    },
    wait: (seconds) => waits.observe(seconds),
    event: (event, result) => events.inc({ event, result }),
  };
}

/** A gauge that reads its value at each scrape. It has no sample while the value is undefined, such as a limit that is off. */
function readGauge(registers: Registry[], name: string, help: string, read: () => number | undefined): void {
  const gauge: Gauge = new Gauge({
    name,
    help,
    registers,
    collect: () => {
      const value = read();
      if (value === undefined) gauge.remove();
      else gauge.set(value);
    },
  });
}

/** Metrics for GET /metrics. Labels come from fixed sets, so that no caller can add new ones. */
export function createPrometheus(): Prometheus {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'academy_mcp_build_info',
    help: 'Version of the running server.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
  const watch = (name: string, help: string, read: () => number | undefined) => readGauge(registers, name, help, read);
  return {
    meter: createMeter(registers),
    watchBudget: (budget) => {
      watch('academy_mcp_api_budget_limit', 'Current limit of requests a minute to the API.', () => budget().limit);
      watch('academy_mcp_api_budget_remaining', 'Requests that can be sent immediately.', () => budget().remaining);
      watch('academy_mcp_api_queue', 'Requests waiting for the rate limit.', () => budget().queued);
    },
    watchSessions: (count) => watch('academy_mcp_sessions', 'Open sessions.', count),
    watchEvents: (unchecked) =>
      watch('academy_mcp_events_unchecked', 'Events that the API has not been read for yet.', unchecked),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
