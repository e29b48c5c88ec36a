import type { Api, CallOptions } from '../api/api.ts';
import { getCourseCompletion } from '../contract/courses.ts';
import { getOrder } from '../contract/orders.ts';
import { getStudentDetails, listAssignmentAnswers, listProjectPosts } from '../contract/students.ts';
import { buyerKey } from '../insights/sales/sold-order.ts';
import { cleanText } from '../shared/clean-text.ts';
import type { Json } from '../shared/json.ts';
import { type Finding, type ReceivedEvent, trimmed } from './event.ts';

/** One read of the API that checks one or more events. */
export interface Lookup {
  /** Events with the same key are checked by one read. */
  readonly key: string;
  /** The API sends the whole list: it is read less often. */
  readonly isWholeList?: true;
  read(api: Api, options: CallOptions): Promise<Judge>;
}

export type Judge = (event: ReceivedEvent) => Finding;
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
    read: async (api, options) => {
      const order: Json = { ...(await api.call(getOrder, { order_id }, options)) };
      const isSame = String(order.id) === order_id;
      return () => (isSame ? verified(order) : notVerified('the API returned another order for this id'));
    },
  };
}

const whole = 100;

function judgeCompletion(percent: unknown, facts: Json): Finding {
  if (Number(percent) >= whole) return verified(facts);
  const isNumber = percent !== undefined && Number.isFinite(Number(percent));
  return notVerified(isNumber ? `the API shows ${percent} percent` : 'the API shows no completion');
}

function judgeStudent({ event, claims }: ReceivedEvent, student: Json): Finding {
  const { id, name, email, created_at, paying_student, total_completion, completion_percent } = student;
  if (!isSameEmail(email, claims.email)) return notVerified('the API returned a student with another email');
  if (claims.id !== undefined && id !== undefined && String(claims.id) !== String(id))
    return notVerified('the API shows another student id for this email');
  // The fields that an answer shows. Details have dozens more.
  const shown = { id, name, email, created_at, paying_student, total_completion, completion_percent };
  const facts = Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined && value !== null));
  if (event !== 'student_completed') return verified(facts);
  return judgeCompletion(total_completion ?? completion_percent ?? undefined, facts);
}

function studentLookup({ email }: Claims): Lookup {
  const given = String(email);
  return {
    key: `student ${buyerKey(given)}`,
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
    read: async (api, options) => {
      const answer = await api.call(getCourseCompletion, { course_id: Number(course_id), user_email }, options);
      const { id, name, email: shown = user_email, course_completion_percent: completion } = answer;
      return ({ claims }) =>
        isSameEmail(shown, claims.email)
          ? judgeCompletion(completion, { id, name, email: shown, course_id, completion })
          : notVerified('the API returned a student with another email');
    },
  };
}

const maxOfStudent = 200;

/** `field` identifies the record. A student can write it twice: `others` tell those apart, if their words agree. */
function findIn(items: readonly Json[], field: 'answer' | 'post', others: readonly string[]): Judge {
  const list = items.map((record) => ({ record, student: buyerKey(String(record.email)) }));
  return ({ claims }) => {
    const student = buyerKey(String(claims.email));
    const found = list
      .filter((one) => one.student === student)
      .slice(-maxOfStudent)
      .map(({ record }) => record)
      .filter((record) => isSameText(claims[field], record[field]));
    const sharedTexts = (record: Json) => others.filter((name) => isSameText(claims[name], record[name])).length;
    const length = (record: Json) => String(record[field]).length;
    const [closest] = found.sort((one, other) => sharedTexts(other) - sharedTexts(one) || length(one) - length(other));
    return closest === undefined ? notVerified('the list of the API does not show it') : verified(closest);
  };
}

const answersLookup: Lookup = {
  key: 'answers',
  isWholeList: true,
  read: async (api, options) => {
    const { items } = await api.call(listAssignmentAnswers, {}, options);
    return findIn(items, 'answer', ['lesson', 'question']);
  },
};

const postsLookup: Lookup = {
  key: 'project posts',
  isWholeList: true,
  read: async (api, options) => findIn((await api.call(listProjectPosts, {}, options)).items, 'post', []),
};

export function lookupOf({ event, claims }: ReceivedEvent): Lookup {
  if (event === 'new_order') return orderLookup(claims);
  if (event === 'course_completed') return completionLookup(claims);
  if (event === 'new_answer') return answersLookup;
  return event === 'new_project_post' ? postsLookup : studentLookup(claims);
}
