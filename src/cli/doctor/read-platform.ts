import type { ApiClient, CallOptions } from '../../api/api.ts';
import { type AttemptResult, jsonOf } from '../../api/http/attempt-result.ts';
import { anotherRecord, listIn } from '../../api/http/decode.ts';
import type { PlatformReport } from '../../api/platform.ts';
import { createApi } from '../../app.ts';
import { type Config, secretsOf } from '../../config/load.ts';
import { account as documented, getAccount } from '../../contract/account.ts';
import { course, getCourse, getCourseStructure, listCourses } from '../../contract/courses.ts';
import type { OperationId } from '../../contract/index.ts';
import type { InputOf, Operation } from '../../contract/operation.ts';
import { listOrders, order } from '../../contract/orders.ts';
import { courseStructure } from '../../contract/schemas/lesson.ts';
import { studentEmail } from '../../contract/schemas/shared-arguments.ts';
import { getStudentDetails, listStudents, student, studentDetails } from '../../contract/students.ts';
import { idOf } from '../../insights/sales/products-in-order.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { AcademyError, ApiError } from '../../shared/errors.ts';
import { isObject } from '../../shared/json.ts';
import { createLogger } from '../../shared/logger.ts';
import type { CommandContext } from '../command-context.ts';

/** A record as the API sent it, before decoding drops or converts anything. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** The requests of a check, and what the API answered to the last one. */
export interface Session {
  readonly api: ApiClient;
  readonly lastBody: () => unknown;
  readonly call: CallOptions;
  readonly requests: () => number;
}

export function openSession(config: Config, { stderr, signal }: Pick<CommandContext, 'stderr' | 'signal'>): Session {
  let last: AttemptResult | undefined;
  let requests = 0;
  // The report covers the warnings that the log writes by default.
  const level = config.logLevel === 'warn' ? 'error' : config.logLevel;
  const log = createLogger(level, secretsOf(config), stderr);
  const onOutcome = (outcome: AttemptResult) => {
    last = outcome;
  };
  const onRequest = () => {
    requests += 1;
  };
  return {
    api: createApi(config, log, { onOutcome }),
    lastBody: () => last && jsonOf(last),
    call: { signal, onRequest },
    requests: () => requests,
  };
}

/** Counts the documented fields that a record has, whatever their values. */
function fieldsShown(fields: readonly string[], row: JsonRecord): number {
  return fields.filter((name) => Object.hasOwn(row, name)).length;
}

/** Another service may have fewer matching fields by chance. */
const minFields = 3;

/**
 * Finds the account in the answer of the account endpoint, bare or under `data`. Undefined for other JSON. A name is not
 * enough, since many answers of other services have one.
 */
function findAccount(body: unknown): JsonRecord | undefined {
  if (!isObject(body)) return undefined;
  const answer: JsonRecord = isObject(body.data) ? body.data : body;
  const account: JsonRecord = isObject(answer.account) ? answer.account : answer;
  const isNamed = [account.subdomain, account.app_name].some((text) => typeof text === 'string' && text.trim() !== '');
  const isBeside = isObject(answer.capabilities) || Array.isArray(answer.webhook_events);
  const isAccount = isBeside || fieldsShown(Object.keys(documented.shape), account) >= minFields;
  return isNamed && isAccount ? { ...answer, account } : undefined;
}

/** Reads the account with one request. Throws `AcademyError` if the address, the key or the answer is not usable. */
export async function readAccount({ api, call, lastBody }: Session): Promise<JsonRecord> {
  try {
    await api.call(getAccount, {}, call);
  } catch (error) {
    if (!(error instanceof AcademyError) || error.code !== 'not_found') throw error;
    // The request names no record, so a 404 means that the API itself was not found.
    const hint = 'The API is not at this address: check ACADEMY_BASE_URL.';
    throw new AcademyError(error.code, error.message, { hint, cause: error });
  }
  const account = findAccount(lastBody());
  if (account !== undefined) return account;
  throw new AcademyError('unexpected_response', 'the API answered 200, but not with the documented account', {
    hint: 'Check that ACADEMY_BASE_URL is the address of the account.',
  });
}

function textOf(value: unknown, limit: number): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? oneLine(value, limit) : undefined;
}

/** Lines with the name, plan, disabled capabilities and webhook events of the account. */
export function accountLines({ account, capabilities, webhook_events: events }: JsonRecord): string[] {
  const { app_name: app, subdomain, subscription_plan: plan } = isObject(account) ? account : ({} as JsonRecord);
  const name = textOf(app, 200) ?? textOf(subdomain, 200) ?? 'an account';
  const rights = isObject(capabilities) ? Object.entries(capabilities) : undefined;
  const off = rights?.flatMap(([capability, allowed]) => (allowed === false ? [oneLine(capability, 60)] : [])) ?? [];
  const all = rights ? 'ok  The account has every capability' : '!   The account shows no capabilities';
  return [
    `ok  The API answers: ${name}, plan ${textOf(plan, 60) ?? 'not shown'}`,
    off.length === 0 ? all : `!   Disabled for this account: ${off.join(', ')}`,
    `ok  ${Array.isArray(events) ? events.length : 0} webhook events`,
  ];
}

/** Number of orders that `doctor` requests. */
const ordersPerPage = 20;

/** A list as the API sent it. */
export interface RecordList {
  readonly rows: readonly JsonRecord[];
  /** Number of entries that are not JSON objects. */
  readonly nonRecords: number;
  readonly meta: JsonRecord;
}

/** The data that `doctor` has read. A field is undefined if it was not read or does not exist in this academy. */
export interface PlatformData {
  readonly account: JsonRecord | undefined;
  readonly orders: RecordList | undefined;
  readonly courses: RecordList | undefined;
  readonly course: JsonRecord | undefined;
  readonly structure: JsonRecord | undefined;
  readonly students: RecordList | undefined;
  readonly details: JsonRecord | undefined;
  /** The email in the request for `details`. */
  readonly email: string | undefined;
  readonly platform: PlatformReport;
}

/** Leaves out the API's own message, which may name the student. */
function describeError(error: AcademyError): string {
  const { code, message } = error;
  const status = error instanceof ApiError ? ` (status ${error.status})` : '';
  return `${code}: ${message.replace(/\S*@\S*/g, '[email]')}${status}`;
}

/** A record of another service may have one matching field by chance. */
const minRecordFields = 2;

const isDocumented = ({ shape }: Shape, row: JsonRecord) => fieldsShown(Object.keys(shape), row) >= minRecordFields;

/** The record in a body that the tools could read: bare, or the nested object with more documented fields. */
function recordIn(schema: Shape, body: unknown): JsonRecord | undefined {
  if (!isObject(body)) return undefined;
  const shown = (row: JsonRecord) => fieldsShown(Object.keys(schema.shape), row);
  const all: JsonRecord[] = [body, ...Object.values(body).filter(isObject)];
  return all.reduce((best, row) => (shown(row) > shown(best) ? row : best));
}

const isEmpty = ({ rows, nonRecords }: RecordList) => rows.length + nonRecords === 0;

type Shape = { readonly shape: object };

/** Reads the parts of the platform, and collects one line for each: `ok`, `-` for nothing to check, or `NO`. */
function createReader({ api, lastBody, call }: Session, account: JsonRecord) {
  const lines: string[] = [];
  const failed: string[] = [];
  const capabilities = isObject(account.capabilities) ? account.capabilities : {};

  function empty(name: string, why = ''): undefined {
    lines.push(`-   ${name}: nothing to check${why && `: ${why}`}`);
  }

  function fail(name: string, why: string): undefined {
    lines.push(`NO  ${name}: could not be read: ${why}`);
    failed.push(name.toLowerCase());
  }

  function accept<Found>(name: string, found: Found, isKnown: boolean): Found | undefined {
    if (!isKnown)
      return fail(name, 'the answer is not the documented record: this is another API, or another version of it');
    lines.push(`ok  ${name}: readable`);
    return found;
  }

  /** The body of an answer, or undefined if it was not read. Only a cancelled call ends the check. */
  async function read<O extends Operation & { id: OperationId }>(name: string, operation: O, input: InputOf<O>) {
    if (capabilities[operation.capability] === false) return empty(name, 'disabled for this account');
    try {
      await api.call(operation, input, call);
      return lastBody();
    } catch (error) {
      if (!(error instanceof AcademyError) || error.code === 'cancelled') throw error;
      // The checks look at the record itself, and say whose it is.
      return error.message === anotherRecord ? lastBody() : fail(name, describeError(error));
    }
  }

  function list(name: string, schema: Shape, body: unknown): RecordList | undefined {
    if (body === undefined) return undefined;
    const entries = listIn(name.toLowerCase(), body)?.entries ?? [];
    const rows = entries.filter(isObject);
    const meta = isObject(body) && isObject(body.meta) ? body.meta : {};
    const found = { rows, nonRecords: entries.length - rows.length, meta };
    const isKnown = rows.some((row) => isDocumented(schema, row));
    if (!isEmpty(found)) return accept(name, found, isKnown);
    empty(name);
    return found;
  }

  function record(name: string, schema: Shape, body: unknown): JsonRecord | undefined {
    if (body === undefined) return undefined;
    const row = recordIn(schema, body);
    return accept(name, row, row !== undefined && isDocumented(schema, row));
  }

  /** A record that was not read, since its list names none. */
  const missing = (name: string, from: RecordList | undefined, needed: string) =>
    empty(name, from !== undefined && isEmpty(from) ? '' : `no ${needed} could be read`);

  return { lines, failed, read, list, record, missing };
}

function emailsIn(list: RecordList | undefined, key: string): string[] {
  const texts = (list?.rows ?? []).map((row) => row[key]);
  return texts.filter((text): text is string => typeof text === 'string' && studentEmail.safeParse(text).success);
}

/** Reads everything in order with at most six requests. `failed`: the parts that could not be read. */
export async function readPlatform(session: Session, account: JsonRecord) {
  const { lines, failed, read, list, record, missing } = createReader(session, account);
  const page = { status: 'all', page: 1, per_page: ordersPerPage } as const;
  const orders = list('Orders', order, await read('Orders', listOrders, page));

  const courses = list('Courses', listCourses.response.item, await read('Courses', listCourses, {}));
  const course_id = courses?.rows.map((row) => idOf(row.id)).find((one) => one !== undefined);
  const ofCourse = async (name: string, operation: typeof getCourse | typeof getCourseStructure, schema: Shape) =>
    course_id === undefined
      ? missing(name, courses, 'id of a course')
      : record(name, schema, await read(name, operation, { course_id }));
  const one = await ofCourse('One course', getCourse, course);
  const structure = await ofCourse('Its structure', getCourseStructure, courseStructure);

  const students = list('Students', student, await read('Students', listStudents, { page: 1 }));
  // The details of a student with an order show more.
  const buyers = new Set(emailsIn(orders, 'user_email').map((email) => email.toLowerCase()));
  const listed = emailsIn(students, 'email');
  const email = listed.find((each) => buyers.has(each.toLowerCase())) ?? listed[0];
  const name = 'One student';
  const details =
    email === undefined
      ? missing(name, students, 'email of a student')
      : record(name, studentDetails, await read(name, getStudentDetails, { email }));

  const platform = session.api.platform();
  const data: PlatformData = { account, orders, courses, course: one, structure, students, details, email, platform };
  return { lines, failed, data };
}
