import { type AnyOperation, operations } from '../../../src/contract/index.ts';
import { structureOf } from '../../../src/insights/outline/course.ts';
import type { Row } from '../../support/academy.ts';
import { everyCall } from '../../support/every-call.ts';
import type { Speech } from '../../support/made-academy.ts';
import { madeBody, pathsOf } from '../../support/made-answers.ts';
import type { InMemory } from '../in-memory.ts';

// Composite answers are made of the answers to several requests, whose records must belong together.

/** Texts that decide whether a record is shown. */
const steering: Readonly<Record<string, string>> = {
  status: 'paid',
  created_at: '2024-05-01T10:00:00Z',
  amount: '10.00',
  currency: 'USD',
};

/** The value that a text must have for its record to be shown; undefined if any value will do. */
export function steeringText(path: string): string | undefined {
  return steering[path.split('.').at(-1) ?? ''];
}

/** Each lesson of a course and each post of a topic differs. */
function numberAt({ id }: AnyOperation, key: string, made: number): number {
  const isDistinct =
    id === 'courses.getCourseStructure' || (id === 'community.searchPosts' && !key.startsWith('total_'));
  return isDistinct ? made : 1;
}

function related(operation: AnyOperation, value: unknown, name = ''): unknown {
  if (typeof value === 'number') return numberAt(operation, name, value);
  if (Array.isArray(value)) return value.map((entry) => related(operation, entry, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, related(operation, entry, key)]));
}

/** The same texts, in records where everything sold, held and counted has the id 1. */
export function ofOne(speech: Speech): Speech {
  return { ...speech, body: (operation) => related(operation, speech.body(operation)) };
}

/** The same for an offboarding, which needs the name of the student, and takes it only from the details of this email. */
export function ofStudent(speech: Speech): Speech {
  const { body } = ofOne(speech);
  const ofEmail = (operation: AnyOperation) => ({
    ...Object(body(operation)),
    email: everyCall.offboard_student?.email,
  });
  return {
    ...speech,
    body: (operation) => (operation.id === 'students.getStudentDetails' ? ofEmail(operation) : body(operation)),
  };
}

function outlineQuestion(): Row {
  const structure = operations.find(({ id }) => id === 'courses.getCourseStructure');
  if (structure === undefined) throw new Error('no operation shows the structure of a course');
  const { lists } = structureOf(Object(madeBody(structure.response, () => '')));
  const [{ module_id, lessons } = { module_id: null, lessons: [] }] = lists;
  const moves = [{ lesson_id: lessons.at(-1)?.id, module_id, position: 1 }];
  return { course_id: 1, moves, lessons: [{ lesson_id: lessons[0]?.id, title: 'New' }] };
}

const outline = outlineQuestion();

const wholeCalls: Readonly<Record<string, Row>> = {
  ...everyCall,
  plan_course_outline: outline,
  apply_course_outline: { ...outline, confirm: true },
  community_digest: { period: 'all_time' },
};

/** A call that the tool accepts; to apply an outline, with the version of the course that the academy shows now. */
export async function callFor(tool: string, { call }: InMemory): Promise<Row> {
  const args = wholeCalls[tool] ?? {};
  if (tool !== 'apply_course_outline') return args;
  const { data } = await call('plan_course_outline', outline);
  return { ...args, base_version: data?.base_version ?? '0' };
}

/** Every text of the answers to these requests. */
export function textsOf(operations: readonly AnyOperation[]): string[] {
  return [...new Set(operations.flatMap(({ response }) => pathsOf(response)))];
}
