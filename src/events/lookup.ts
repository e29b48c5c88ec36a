import type { Api, CallOptions } from '../api/api.ts';
import { getCourseCompletion } from '../contract/courses.ts';
import { getOrder } from '../contract/orders.ts';
import { getStudentDetails, listAssignmentAnswers, listProjectPosts } from '../contract/students.ts';
import { buyerKey } from '../insights/sales/sold-order.ts';
import { cleanText } from '../shared/clean-text.ts';
import type { Json } from '../shared/json.ts';
import type { Finding, ReceivedEvent } from './event.ts';
import { trimmed } from './event.ts';

/** One read of the API that checks one or more events. */
export interface Lookup {
  /** Events with the same key are checked by one read. */
  readonly key: string;
  /** The API sends the whole list: it is read less often. */
  readonly isWholeList: boolean;
  /** Resolves to the function that judges an event by the answer. */
  read(api: Api, options: CallOptions): Promise<(event: ReceivedEvent) => Finding>;
}

type Claims = ReceivedEvent['claims'];

const notVerified = (why: string): Finding => ({ state: 'not_verified', why });
const verified = (facts: Json): Finding => ({ state: 'verified', facts: trimmed(facts) });

function isSameEmail(one: unknown, other: unknown): boolean {
  return typeof one === 'string' && typeof other === 'string' && buyerKey(one) === buyerKey(other);
}

/** Characters of a text that are compared: claims are cut for storage, too. */
const maxCompared = 2_000;

const plainText = (text: unknown) =>
  typeof text === 'string' ? cleanText(text.slice(0, maxCompared)).replace(/\s+/g, ' ').trim() : undefined;

/** Whether a text begins like the one that a sender claims. A claim may have been cut. */
function isSameText(claimed: unknown, text: unknown): boolean {
  const [one, other] = [plainText(typeof claimed === 'string' ? claimed.replace(/…$/, '') : claimed), plainText(text)];
  return one !== undefined && other?.startsWith(one) === true;
}

function orderLookup({ id }: Claims): Lookup {
  const order_id = String(id);
  return {
    key: `order ${order_id}`,
    isWholeList: false,
    read: async (api, options) => {
      const order: Json = { ...(await api.call(getOrder, { order_id }, options)) };
      return () =>
        String(order.id) === order_id ? verified(order) : notVerified('the API returned another order for this id');
    },
  };
}

/** The fields of a student that an answer shows. Details have dozens more. */
function studentFacts({
  id,
  name,
  email,
  created_at,
  paying_student,
  total_completion,
  completion_percent,
}: Json): Json {
  const facts = { id, name, email, created_at, paying_student, total_completion, completion_percent };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined && value !== null));
}

const whole = 100;

function judgeStudent({ event, claims }: ReceivedEvent, student: Json): Finding {
  if (!isSameEmail(student.email, claims.email)) return notVerified('the API returned a student with another email');
  if (claims.id !== undefined && student.id !== undefined && String(claims.id) !== String(student.id)) {
    return notVerified('the API shows another student id for this email');
  }
  if (event !== 'student_completed') return verified(studentFacts(student));
  const completion = Number(student.total_completion ?? student.completion_percent);
  if (completion >= whole) return verified(studentFacts(student));
  return notVerified(
    Number.isFinite(completion) ? `the API shows ${completion} percent` : 'the API shows no completion',
  );
}

function studentLookup({ email }: Claims): Lookup {
  const given = String(email);
  return {
    key: `student ${buyerKey(given)}`,
    isWholeList: false,
    read: async (api, options) => {
      const student: Json = { ...(await api.call(getStudentDetails, { email: given }, options)) };
      return (event) => judgeStudent(event, student);
    },
  };
}

function completionLookup({ email, course_id }: Claims): Lookup {
  const user_email = String(email);
  return {
    key: `completion ${course_id} ${buyerKey(user_email)}`,
    isWholeList: false,
    read: async (api, options) => {
      const answer = await api.call(getCourseCompletion, { course_id: Number(course_id), user_email }, options);
      const completion = answer.course_completion_percent;
      const facts = { id: answer.id, name: answer.name, email: answer.email ?? user_email, course_id, completion };
      return ({ claims }) => {
        if (!isSameEmail(facts.email, claims.email))
          return notVerified('the API returned a student with another email');
        if (completion === undefined) return notVerified('the API shows no completion of the course');
        return Number(completion) >= whole ? verified(facts) : notVerified(`the API shows ${completion} percent`);
      };
    },
  };
}

/** Records of one student that an event is compared with. */
const maxOfStudent = 200;

/**
 * `field`: the text that identifies the record in the list. A student can write it twice: `others` tell those apart, as far
 * as they are the same words in both, since the API document does not promise that.
 */
function findIn(items: readonly object[], field: 'answer' | 'post', others: readonly string[]) {
  // A list may have thousands of records: an event is compared with those of its student alone.
  const byStudent = new Map<string, Json[]>();
  for (const item of items) {
    const record: Json = { ...item };
    if (typeof record.email !== 'string') continue;
    const student = buyerKey(record.email);
    byStudent.set(student, [...(byStudent.get(student) ?? []), record].slice(-maxOfStudent));
  }
  return ({ claims }: ReceivedEvent): Finding => {
    const records = typeof claims.email === 'string' ? (byStudent.get(buyerKey(claims.email)) ?? []) : [];
    const isClaimed = (record: Json) => isSameText(claims[field], record[field]);
    const sharedTexts = (record: Json) => others.filter((name) => isSameText(claims[name], record[name])).length;
    const found = records.filter(isClaimed);
    const length = (record: Json) => String(record[field]).length;
    const [closest] = found.toSorted(
      (one, other) => sharedTexts(other) - sharedTexts(one) || length(one) - length(other),
    );
    return closest === undefined ? notVerified('the list of the API does not show it') : verified(closest);
  };
}

const answersLookup: Lookup = {
  key: 'answers',
  isWholeList: true,
  read: async (api, options) =>
    findIn((await api.call(listAssignmentAnswers, {}, options)).items, 'answer', ['lesson', 'question']),
};

const postsLookup: Lookup = {
  key: 'project posts',
  isWholeList: true,
  read: async (api, options) => findIn((await api.call(listProjectPosts, {}, options)).items, 'post', []),
};

/** The read that checks an event. */
export function lookupOf({ event, claims }: ReceivedEvent): Lookup {
  if (event === 'new_order') return orderLookup(claims);
  if (event === 'course_completed') return completionLookup(claims);
  if (event === 'new_answer') return answersLookup;
  return event === 'new_project_post' ? postsLookup : studentLookup(claims);
}
