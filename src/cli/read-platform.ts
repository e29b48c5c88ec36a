import type * as z from 'zod';
import { supportedVersion } from '../api/client.ts';
import { unreadablePathsIn } from '../api/http/answer-facts.ts';
import { createApi } from '../app.ts';
import { type Config, secretsOf } from '../config/load.ts';
import { getAccount } from '../contract/account.ts';
import { getCourse, getCourseStructure, listCourses } from '../contract/courses.ts';
import type { OperationId } from '../contract/index.ts';
import type { InputOf, Operation } from '../contract/operation.ts';
import { listOrders } from '../contract/orders.ts';
import { getStudentDetails, listStudents } from '../contract/students.ts';
import { soldOrder } from '../insights/sales/sold-order.ts';
import { oneLine } from '../shared/clean-text.ts';
import { AcademyError, ApiError } from '../shared/errors.ts';
import { isObject } from '../shared/json.ts';
import { createLogger } from '../shared/logger.ts';
import type { CommandContext } from './command-context.ts';

type Session = ReturnType<typeof openSession>;

export function openSession(config: Config, { stderr, signal }: Pick<CommandContext, 'stderr' | 'signal'>) {
  let requests = 0;
  // The report covers the warnings that the log writes by default.
  const log = createLogger(config.logLevel === 'warn' ? 'error' : config.logLevel, secretsOf(config), stderr);
  const onRequest = () => {
    requests += 1;
  };
  return { api: createApi(config, log), call: { signal, onRequest }, requests: () => requests };
}

/** Reads the account with one request. Throws `AcademyError` if the address, the key or the answer is not usable. */
export async function readAccount({ api, call }: Session) {
  try {
    const answer = await api.call(getAccount, {}, call);
    const name = answer.account?.app_name?.trim() || answer.account?.subdomain?.trim();
    if (name) return { ...answer, name: oneLine(name, 200) };
  } catch (error) {
    if (!(error instanceof AcademyError) || error.code !== 'not_found') throw error;
    // The request names no record, so a 404 means that the API itself was not found.
    const hint = 'The API is not at this address: check ACADEMY_BASE_URL.';
    throw new AcademyError(error.code, error.message, { hint, cause: error });
  }
  throw new AcademyError('unexpected_response', 'the API answered 200, but not with the documented account', {
    hint: 'Check that ACADEMY_BASE_URL is the address of the account.',
  });
}

type AccountAnswer = Awaited<ReturnType<typeof readAccount>>;

export function accountLines({ name, account, capabilities }: AccountAnswer): string[] {
  const off = Object.entries(capabilities ?? {}).flatMap(([capability, allowed]) =>
    allowed === false ? capability : [],
  );
  const plan = account?.subscription_plan ?? 'not shown (set ACADEMY_RATE_LIMIT=300 if it is the academy plan)';
  return [
    `ok  The API answers: ${name}, plan ${oneLine(plan, 100)}`,
    ...(off.length === 0 ? [] : [`!   Disabled for this account: ${off.map((one) => oneLine(one, 60)).join(', ')}`]),
  ];
}

/** Leaves out the API's own message, which may name the student. */
function describeError(error: AcademyError): string {
  const status = error instanceof ApiError ? ` (status ${error.answer.status})` : '';
  return `${error.code}: ${error.message.replace(/\S*@\S*/g, '[email]')}${status}`;
}

/** The documented fields that no record shows, and the paths of values that were left out. Shows no value: it may be personal. */
function differencesIn(schema: z.ZodObject, records: readonly object[], answer: object): string[] {
  const unread = [...new Set(unreadablePathsIn(answer).map((path) => path.replaceAll(/^\$\.|\.\d+/g, '')))];
  const isMissing = (name: string) => !unread.includes(name) && records.every((record) => !Object.hasOwn(record, name));
  const missing = Object.keys(schema.shape).filter(isMissing);
  return [
    ...(missing.length === 0 ? [] : [`not shown: ${missing.join(', ')}`]),
    ...(unread.length === 0 ? [] : [`not readable: ${unread.join(', ')}`]),
  ];
}

const ordersPerPage = 20;

/** At most six requests. A line begins with `ok`, `!` if it differs, `-` if there is nothing to check, or `NO`. */
export async function readPlatform({ api, call }: Session, { capabilities }: AccountAnswer) {
  const lines: string[] = [];
  const failed: string[] = [];

  function report(part: string, differences: readonly string[]): void {
    lines.push(differences.length === 0 ? `ok  ${part}: as documented` : `!   ${part}: ${differences.join('; ')}`);
  }

  /** The records of an answer, or the only one; none if it was not read. Only a cancelled call ends the check. */
  async function read<O extends Operation & { id: OperationId }>(part: string, operation: O, input: InputOf<O>) {
    const isOff = capabilities !== undefined && capabilities[operation.capability] === false;
    if (isOff) {
      lines.push(`-   ${part}: disabled for this account`);
      return [];
    }
    try {
      const answer: object = await api.call(operation, input, call);
      const { response } = operation;
      const schema = response.kind === 'list' ? response.item : response.schema;
      const list = 'items' in answer && Array.isArray(answer.items) ? answer.items : [{ ...answer }];
      const records = list.filter(isObject);
      const orders = operation.id === listOrders.id ? records.flatMap((order) => soldOrder(order).unreadable) : [];
      const unread = orders.length === 0 ? [] : [`sales answers cannot read: ${[...new Set(orders)].join(', ')}`];
      if (records.length === 0) lines.push(`-   ${part}: nothing to check`);
      else report(part, [...differencesIn(schema, records, answer), ...unread]);
      return records;
    } catch (error) {
      if (!(error instanceof AcademyError) || error.code === 'cancelled') throw error;
      lines.push(`NO  ${part}: could not be read: ${describeError(error)}`);
      failed.push(part.toLowerCase());
      return [];
    }
  }

  await read('Orders', listOrders, { status: 'all', page: 1, per_page: ordersPerPage });
  const courses = await read('Courses', listCourses, {});
  const course_id = courses.map(({ id }) => id).find((id) => typeof id === 'number');
  if (course_id !== undefined) {
    await read('One course', getCourse, { course_id });
    await read('Its structure', getCourseStructure, { course_id });
  }
  const students = await read('Students', listStudents, { page: 1 });
  const email = students.map((student) => String(student.email)).find((one) => one.includes('@'));
  if (email !== undefined) await read('One student', getStudentDetails, { email });
  const version = api.apiVersion();
  report(
    'API version',
    version === supportedVersion ? [] : [`${version ? oneLine(version, 40) : 'not shown'}, and not v1`],
  );
  return { lines, failed };
}
