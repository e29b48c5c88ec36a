import { type AuditEntry, parseLines } from '../../support/audit-lines.ts';
import { claimOf } from '../claim.ts';
import type { LogEntry } from '../fault-server.ts';
import type { Deed } from '../operation.ts';
import type { ToolAnswer } from '../tool-answer.ts';

type AuditLine = Pick<AuditEntry, 'tool' | 'outcome' | 'request_id'>;

/** The entries of the audit log; where it cannot be read, why. */
function readAudit(audit: string): { lines: readonly AuditLine[]; broken: string[] } {
  try {
    return { lines: parseLines(audit), broken: [] };
  } catch (error) {
    return { lines: [], broken: [`the audit log does not parse: ${error}`] };
  }
}

export function heardOf(deed: Deed, answer: ToolAnswer | undefined): ToolAnswer | undefined {
  return answer && claimOf(deed, answer);
}

/** A deed that was asked for, and what the client heard of it before it left. */
export interface Asked {
  readonly deed: Deed;
  readonly answer: ToolAnswer | undefined;
}

export interface Books {
  /** The audit log, whole. */
  readonly audit: string;
  /** What reached the academy. */
  readonly requests: readonly LogEntry[];
  readonly asked: readonly Asked[];
}

const isOf = (deed: Deed) => (entry: LogEntry) =>
  entry.worked && entry.method === deed.method && entry.path === deed.path;

/** Requests of one kind, whichever tool sends them. */
const pattern = ({ method, path }: Deed) => `${method} ${path.replace(/\d+/g, ':id')}`;

const worked = ({ status = 0 }: LogEntry) => status >= 200 && status < 300;

/** The lines of some tools beside what the academy saw of them: several deeds may be of one tool, or of one request. */
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
    count('sent') > 0 && `${count('sent')} lines of ${tool} in the audit log were never finished`,
    count('applied') > done && `${count('applied')} lines of ${tool} say applied, but ${done} were`,
    count('applied') + count('outcome_unknown') < done &&
      `${done} of ${tool} were applied, but the audit log says so of ${count('applied')}`,
    lines.some(({ outcome, request_id }) => outcome === 'applied' && request_id === '') &&
      `a line of ${tool} says applied, without a request id`,
  ];
  return problems.filter((problem) => problem !== false);
}

/** The client may only have heard what is so. */
function problemsOfAnswer({ deed, answer }: Asked): string[] {
  const times = deed.count();
  const problems = [
    times > 1 && `${deed.tool} was done ${times} times`,
    answer?.outcome === 'applied' && times === 0 && `${deed.tool} was said to be applied, but was not`,
    answer?.outcome === 'not_applied' && times > 0 && `${deed.tool} was said not to be applied, but was`,
  ];
  return problems.filter((problem) => problem !== false);
}

/** What does not agree among the audit log, the client's answers and the academy's own state. */
export function problemsInBooks({ audit, requests, asked }: Books): string[] {
  const { lines, broken } = readAudit(audit);
  const paths = new Set(asked.map(({ deed }) => pattern(deed)));
  const ofTools = [...paths].flatMap((path) => {
    const deeds = asked.flatMap(({ deed }) => (pattern(deed) === path ? [deed] : []));
    const tools = new Set(deeds.map(({ tool }) => tool));
    const reached = requests.filter((entry) => deeds.some((deed) => isOf(deed)(entry)));
    return problemsOfTools(
      [...tools].join(' and '),
      path,
      lines.filter((line) => tools.has(line.tool)),
      reached,
    );
  });
  return [...broken, ...ofTools, ...asked.flatMap(problemsOfAnswer)];
}
