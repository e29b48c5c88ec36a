import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Budget } from '../../api/rate-limit/limiter.ts';
import type { Meter } from '../../shared/metrics.ts';
import { version } from '../../version.ts';

export interface Prometheus {
  readonly meter: Meter;
  /** Where the state of the API's budget is read at each scrape. */
  watchBudget(budget: () => Budget): void;
  /** Where the number of sessions is read at each scrape. */
  watchSessions(count: () => number): void;
  /** Prometheus text format 0.0.4. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Seconds: from an answer out of the same house to one that waited for the account's limit. */
const buckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

function createMeter(registers: Registry[]): Meter {
  const shared = { registers, buckets };
  const calls = new Counter({
    name: 'academy_mcp_tool_calls_total',
    help: 'Tool calls that have ended, by tool and by error code ("ok" where there was none, "input_required" where it ended with a question).',
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
    help: 'Requests to the API, by operation and HTTP status, or how they failed.',
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
    help: "Time that requests stood in the queue for the account's limit.",
    ...shared,
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
  };
}

/** A number that is read when somebody asks for it; no sample where there is none, such as the limit where there is no limit. */
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

/** Counts for GET /metrics. Labels come from closed sets of our own alone, so that no caller can make them grow. */
export function createPrometheus(): Prometheus {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({ name: 'academy_mcp_build_info', help: 'The version that runs.', labelNames: ['version'], registers }).set(
    { version },
    1,
  );
  const watch = (name: string, help: string, read: () => number | undefined) => readGauge(registers, name, help, read);
  return {
    meter: createMeter(registers),
    watchBudget: (budget) => {
      watch('academy_mcp_api_budget_limit', 'Requests a minute that may go to the API now.', () => budget().limit);
      watch('academy_mcp_api_budget_remaining', 'Requests that could leave at once.', () => budget().remaining);
      watch('academy_mcp_api_queue', 'Requests that wait for their turn.', () => budget().queued);
    },
    watchSessions: (count) => watch('academy_mcp_sessions', 'Sessions that are open.', count),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
