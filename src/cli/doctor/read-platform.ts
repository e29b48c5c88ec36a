import type { ApiClient, CallOptions } from '../../api/api.ts';
import { course, getCourse, getCourseStructure, listCourses } from '../../contract/courses.ts';
import type { OperationId } from '../../contract/index.ts';
import type { InputOf, Operation } from '../../contract/operation.ts';
import { listOrders, order } from '../../contract/orders.ts';
import { courseStructure } from '../../contract/schemas/lesson.ts';
import { studentEmail } from '../../contract/schemas/shared-arguments.ts';
import { getStudentDetails, listStudents, student, studentDetails } from '../../contract/students.ts';
import { AcademyError, ApiError } from '../../shared/errors.ts';
import { isObject } from '../../shared/json.ts';
import { type Listed, ordersAsked, type Row, type Seen } from './assumption.ts';
import { createParts, keysOf, type Part, type Parts } from './read-results.ts';
import { idOf } from './response-records.ts';

export interface ReadOptions {
  readonly api: ApiClient;
  /** The JSON of the last answer, as it came. */
  readonly lastBody: () => unknown;
  /** The answer of the account endpoint. */
  readonly account: Row;
  readonly call: CallOptions;
}

/** Resolves to the body of an answer; to undefined, noted among the parts, if it was not read. */
type Read = <O extends Operation & { id: OperationId }>(
  name: string,
  operation: O,
  input: InputOf<O>,
) => Promise<unknown>;

/** The API's own words are left out: they may name the student that was asked for. */
function wordsOf(error: AcademyError): string {
  const { code, message } = error;
  const status = error instanceof ApiError ? ` (status ${error.status})` : '';
  return `${code}: ${message.replace(/\S*@\S*/g, '[email]')}${status}`;
}

function createRead({ api, lastBody, account, call }: ReadOptions, parts: Parts): Read {
  const capabilities = isObject(account.capabilities) ? account.capabilities : {};
  return async (name, operation, input) => {
    if (capabilities[operation.capability] === false) {
      parts.skipped(name, 'switched off for this account');
      return undefined;
    }
    try {
      await api.call(operation, input, call);
      return lastBody();
    } catch (error) {
      if (!(error instanceof AcademyError) || error.code === 'cancelled') throw error;
      parts.failed(name, wordsOf(error));
      return undefined;
    }
  };
}

async function readOrders(read: Read, parts: Parts) {
  const body = await read('Orders', listOrders, { status: 'all', page: 1, per_page: ordersAsked });
  return parts.list('Orders', 'orders', keysOf(order), body);
}

async function readCourses(read: Read, parts: Parts) {
  const body = await read('Courses', listCourses, {});
  const courses = parts.list('Courses', 'courses', keysOf(listCourses.response.item), body);
  const courseId = courses?.rows.map(({ id }) => idOf(id)).find((id) => id !== undefined);
  const part = async (name: string, operation: typeof getCourse | typeof getCourseStructure, fields: string[]) => {
    if (courseId === undefined) return parts.without(name, courses, 'id of a course');
    return parts.record(name, fields, await read(name, operation, { course_id: courseId }));
  };
  const row = await part('One course', getCourse, keysOf(course));
  return { courses, course: row, structure: await part('Its structure', getCourseStructure, keysOf(courseStructure)) };
}

function emailsIn(list: Listed | undefined, key: string): string[] {
  const texts = (list?.rows ?? []).map((row) => row[key]);
  return texts.filter((text): text is string => typeof text === 'string' && studentEmail.safeParse(text).success);
}

/** A student with an order shows more than one without. */
function emailToAsk(students: Listed | undefined, orders: Listed | undefined): string | undefined {
  const buyers = new Set(emailsIn(orders, 'user_email').map((email) => email.toLowerCase()));
  const listed = emailsIn(students, 'email');
  return listed.find((email) => buyers.has(email.toLowerCase())) ?? listed[0];
}

async function readStudents(read: Read, parts: Parts, orders: Listed | undefined) {
  const body = await read('Students', listStudents, { page: 1 });
  const students = parts.list('Students', 'students', keysOf(student), body);
  const email = emailToAsk(students, orders);
  const name = 'One student';
  const details =
    email === undefined
      ? parts.without(name, students, 'email of a student')
      : parts.record(name, keysOf(studentDetails), await read(name, getStudentDetails, { email }));
  return { students, details, email };
}

/** Reads in order, each part once: at most six requests. Only a cancelled call ends it early. */
export async function readParts(options: ReadOptions): Promise<{ parts: readonly Part[]; seen: Seen }> {
  const parts = createParts();
  const read = createRead(options, parts);
  const orders = await readOrders(read, parts);
  const ofCourses = await readCourses(read, parts);
  const ofStudents = await readStudents(read, parts, orders);
  const { account, api } = options;
  return { parts: parts.all, seen: { account, orders, ...ofCourses, ...ofStudents, platform: api.platform() } };
}
