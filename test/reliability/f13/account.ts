import { type AuditEntry, parseLines } from '../../support/audit-lines.ts';
import { claimOf } from '../claim.ts';
import type { LogEntry } from '../fault-server.ts';
import type { ToolOperation } from '../operation.ts';
import type { ToolAnswer } from '../tool-answer.ts';

type AuditLine = Pick<AuditEntry, 'tool' | 'outcome' | 'request_id'>;

/** The entries of the audit log, or why it cannot be read. */
function readAudit(audit: string): { lines: readonly AuditLine[]; broken: string[] } {
  try {
    return { lines: parseLines(audit), broken: [] };
  } catch (error) {
    return { lines: [], broken: [`the audit log does not parse: ${error}`] };
  }
}

export function heardOf(operation: ToolOperation, answer: ToolAnswer | undefined): ToolAnswer | undefined {
  return answer && claimOf(operation, answer);
}

/** A requested operation, and the answer that the client received before it left. */
export interface Requested {
  readonly operation: ToolOperation;
  readonly answer: ToolAnswer | undefined;
}

export interface Accounts {
  /** The complete text of the audit log. */
  readonly audit: string;
  /** Requests that reached the academy. */
  readonly requests: readonly LogEntry[];
  readonly requested: readonly Requested[];
}

const isOf = (operation: ToolOperation) => (entry: LogEntry) =>
  entry.worked && entry.method === operation.method && entry.path === operation.path;

/** Requests of one kind, from any tool. */
const pattern = ({ method, path }: ToolOperation) => `${method} ${path.replace(/\d+/g, ':id')}`;

const worked = ({ status = 0 }: LogEntry) => status >= 200 && status < 300;

/** Compares the lines of some tools with the requests at the academy: several operations may share a tool or a request. */
function problemsOfTools(
  tool: string,
  path: string,
  lines: readonly AuditLine[],
  requests: readonly LogEntry[],
): string[] {
  const count = (outcome: string) => lines.filter((line) => line.outcome === outcome).length;
  const done = requests.filter(worked).length;
  const problems = [
    lines.length < requests.length &&
      `${requests.length} requests reached ${path}, but ${lines.length} lines in the audit log`,
    count('sent') > 0 && `${count('sent')} lines of ${tool} in the audit log were never completed`,
    count('applied') > done && `${count('applied')} lines of ${tool} say applied, but ${done} were`,
    count('applied') + count('outcome_unknown') < done &&
      `${done} of ${tool} were applied, but the audit log says so of ${count('applied')}`,
    lines.some(({ outcome, request_id }) => outcome === 'applied' && request_id === '') &&
      `a line of ${tool} says applied, without a request id`,
  ];
  return problems.filter((problem) => problem !== false);
}

/** Checks that the client received only true answers. */
function problemsOfAnswer({ operation, answer }: Requested): string[] {
  const times = operation.count();
  const problems = [
    times > 1 && `${operation.tool} was done ${times} times`,
    answer?.outcome === 'applied' && times === 0 && `${operation.tool} was reported as applied, but was not`,
    answer?.outcome === 'not_applied' && times > 0 && `${operation.tool} was reported as not applied, but was`,
  ];
  return problems.filter((problem) => problem !== false);
}

/** The differences between the audit log, the client's answers and the academy's state. */
export function problemsInAccounts({ audit, requests, requested }: Accounts): string[] {
  const { lines, broken } = readAudit(audit);
  const paths = new Set(requested.map(({ operation }) => pattern(operation)));
  const ofTools = [...paths].flatMap((path) => {
    const operations = requested.flatMap(({ operation }) => (pattern(operation) === path ? [operation] : []));
    const tools = new Set(operations.map(({ tool }) => tool));
    const reached = requests.filter((entry) => operations.some((operation) => isOf(operation)(entry)));
    return problemsOfTools(
      [...tools].join(' and '),
      path,
      lines.filter((line) => tools.has(line.tool)),
      reached,
    );
  });
  return [...broken, ...ofTools, ...requested.flatMap(problemsOfAnswer)];
}
