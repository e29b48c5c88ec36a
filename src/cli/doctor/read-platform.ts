import type { ApiClient, CallOptions } from '../../api/api.ts';
import { course, getCourse, getCourseStructure, listCourses } from '../../contract/courses.ts';
import type { OperationId } from '../../contract/index.ts';
import type { InputOf, Operation } from '../../contract/operation.ts';
import { listOrders, order } from '../../contract/orders.ts';
import { courseStructure } from '../../contract/schemas/lesson.ts';
import { studentEmail } from '../../contract/schemas/shared-arguments.ts';
import { getStudentDetails, listStudents, student, studentDetails } from '../../contract/students.ts';
import { idOf } from '../../insights/sales/products-in-order.ts';
import { AcademyError, ApiError } from '../../shared/errors.ts';
import { isObject } from '../../shared/json.ts';
import { type JsonRecord, ordersPerPage, type PlatformData, type RecordList } from './assumption.ts';
import { createReadResults, keysOf, type ReadResult, type ReadResults } from './read-results.ts';

interface ReadOptions {
  readonly api: ApiClient;
  /** The JSON of the last answer, as the API sent it. */
  readonly lastBody: () => unknown;
  /** The answer of the account endpoint. */
  readonly account: JsonRecord;
  readonly call: CallOptions;
}

/** Resolves to the body of an answer, or to undefined if it was not read; the results say why. */
type Read = <O extends Operation & { id: OperationId }>(
  name: string,
  operation: O,
  input: InputOf<O>,
) => Promise<unknown>;

/** Leaves out the API's own message, which may name the student. */
function describeError(error: AcademyError): string {
  const { code, message } = error;
  const status = error instanceof ApiError ? ` (status ${error.status})` : '';
  return `${code}: ${message.replace(/\S*@\S*/g, '[email]')}${status}`;
}

function createRead({ api, lastBody, account, call }: ReadOptions, results: ReadResults): Read {
  const capabilities = isObject(account.capabilities) ? account.capabilities : {};
  return async (name, operation, input) => {
    if (capabilities[operation.capability] === false) {
      results.skipped(name, 'disabled for this account');
      return undefined;
    }
    try {
      await api.call(operation, input, call);
      return lastBody();
    } catch (error) {
      if (!(error instanceof AcademyError) || error.code === 'cancelled') throw error;
      results.failed(name, describeError(error));
      return undefined;
    }
  };
}

async function readOrders(read: Read, results: ReadResults) {
  const body = await read('Orders', listOrders, { status: 'all', page: 1, per_page: ordersPerPage });
  return results.list('Orders', 'orders', keysOf(order), body);
}

async function readCourses(read: Read, results: ReadResults) {
  const body = await read('Courses', listCourses, {});
  const courses = results.list('Courses', 'courses', keysOf(listCourses.response.item), body);
  const courseId = courses?.rows.map(({ id }) => idOf(id)).find((id) => id !== undefined);
  const part = async (name: string, operation: typeof getCourse | typeof getCourseStructure, fields: string[]) => {
    if (courseId === undefined) return results.missing(name, courses, 'id of a course');
    return results.record(name, fields, await read(name, operation, { course_id: courseId }));
  };
  const row = await part('One course', getCourse, keysOf(course));
  return { courses, course: row, structure: await part('Its structure', getCourseStructure, keysOf(courseStructure)) };
}

function emailsIn(list: RecordList | undefined, key: string): string[] {
  const texts = (list?.rows ?? []).map((row) => row[key]);
  return texts.filter((text): text is string => typeof text === 'string' && studentEmail.safeParse(text).success);
}

/** Prefers a student with an order, whose details show more. */
function emailToRead(students: RecordList | undefined, orders: RecordList | undefined): string | undefined {
  const buyers = new Set(emailsIn(orders, 'user_email').map((email) => email.toLowerCase()));
  const listed = emailsIn(students, 'email');
  return listed.find((email) => buyers.has(email.toLowerCase())) ?? listed[0];
}

async function readStudents(read: Read, results: ReadResults, orders: RecordList | undefined) {
  const body = await read('Students', listStudents, { page: 1 });
  const students = results.list('Students', 'students', keysOf(student), body);
  const email = emailToRead(students, orders);
  const name = 'One student';
  const details =
    email === undefined
      ? results.missing(name, students, 'email of a student')
      : results.record(name, keysOf(studentDetails), await read(name, getStudentDetails, { email }));
  return { students, details, email };
}

/** Reads everything in order with at most six requests. Only a cancelled call ends it early. */
export async function readPlatform(
  options: ReadOptions,
): Promise<{ results: readonly ReadResult[]; data: PlatformData }> {
  const results = createReadResults();
  const read = createRead(options, results);
  const orders = await readOrders(read, results);
  const ofCourses = await readCourses(read, results);
  const ofStudents = await readStudents(read, results, orders);
  const { account, api } = options;
  return { results: results.all, data: { account, orders, ...ofCourses, ...ofStudents, platform: api.platform() } };
}
