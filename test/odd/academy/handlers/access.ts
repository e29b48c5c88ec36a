import type { Academy } from '../rules.ts';
import { type Call, failure, notFound, ok, type Reply, type Write } from '../rules.ts';
import { type Order, productOf, type State, type Student } from '../state.ts';
import { heldCourses, studentBy } from './students.ts';

const done = (message: string) => () => ok({ message });
const required = (name: string) => failure(422, 'invalid_parameter', `${name} is required`);

function newOrder({ state, now }: Academy, { id, email }: Student, bought: Partial<Order>): Order {
  const number = Math.max(...state.orders.map((order) => order.number)) + 1;
  const at = Math.floor(now() / 1000) * 1000;
  const money = { amount: '0.0', currency: 'USD', status: 'paid' as const };
  return {
    id: `ord_g${number}`,
    number,
    at,
    ...money,
    student: id,
    email,
    country: 'US',
    courses: [],
    bundles: [],
    digitals: [],
    ...bought,
  };
}

function newStudent({ state, now }: Academy, email: string, name: string): Student {
  const id = state.students.length + 1;
  return { id, name, email, at: now(), paying: true, percents: new Map(), roles: new Set() };
}

export function enroll({ body }: Call, academy: Academy): Reply | Write {
  const { state } = academy;
  const { email, name, course_id, bundle_id } = body;
  if (typeof email !== 'string') return required('email');
  const known = studentBy(state, email);
  if (known === undefined && typeof name !== 'string') return required('name');
  if (course_id !== undefined && productOf(state, 'course', Number(course_id)) === undefined) return notFound();
  const bundle = productOf(state, 'bundle', Number(bundle_id));
  if (bundle_id !== undefined && bundle === undefined) return notFound();
  const effect = () => {
    const student = known ?? newStudent(academy, email, String(name));
    if (known === undefined) state.students.push(student);
    if (course_id !== undefined) state.orders.push(newOrder(academy, student, { courses: [Number(course_id)] }));
    if (bundle === undefined) return;
    const { id, courses, digitals } = bundle;
    state.orders.push(newOrder(academy, student, { courses: [...courses], digitals: [...digitals], bundles: [id] }));
  };
  return { effect, answer: done('Student enrolled') };
}

/** A write for a student who must exist. */
function about(call: Call, { state }: Academy, effect: (student: Student, state: State) => void, said: string) {
  const { email } = call.body;
  if (typeof email !== 'string') return required('email');
  const student = studentBy(state, email);
  return student === undefined ? notFound() : { effect: () => effect(student, state), answer: done(said) };
}

const without = (list: readonly number[], gone: readonly number[]) => list.filter((id) => !gone.includes(id));
const ordersOf = ({ orders }: State, { id }: Student) => orders.filter(({ student }) => student === id);

export function unenroll(call: Call, academy: Academy): Reply | Write {
  if (typeof call.body.name !== 'string') return required('name');
  const effect = (student: Student) => {
    student.paying = false;
  };
  return about(call, academy, effect, 'Student unenrolled');
}

export function revokeCourse(call: Call, academy: Academy): Reply | Write {
  if (typeof call.body.name !== 'string') return required('name');
  const course = Number(call.body.course_id);
  const effect = (student: Student, state: State) => {
    for (const order of ordersOf(state, student)) order.courses = without(order.courses, [course]);
  };
  return productOf(academy.state, 'course', course) === undefined
    ? notFound()
    : about(call, academy, effect, 'Course revoked');
}

export function revokeBundle(call: Call, academy: Academy): Reply | Write {
  const bundle = productOf(academy.state, 'bundle', Number(call.body.bundle_id));
  if (bundle === undefined) return notFound();
  const effect = (student: Student, state: State) => {
    for (const order of ordersOf(state, student)) {
      order.bundles = without(order.bundles, [bundle.id]);
      order.courses = without(order.courses, bundle.courses);
      order.digitals = without(order.digitals, bundle.digitals);
    }
  };
  return about(call, academy, effect, 'Bundle revoked');
}

export function role(call: Call, academy: Academy, isGrant: boolean): Reply | Write {
  const id = Number(call.body.role_id);
  if (!academy.state.roles.some((one) => one.id === id)) return notFound();
  const effect = ({ roles }: Student) => void (isGrant ? roles.add(id) : roles.delete(id));
  return about(call, academy, effect, isGrant ? 'Role granted' : 'Role revoked');
}

export function resetCourse(call: Call, academy: Academy): Reply | Write {
  const course = Number(call.body.course_id);
  if (productOf(academy.state, 'course', course) === undefined) return notFound();
  return about(call, academy, ({ percents }) => void percents.set(course, 0), 'Progress reset');
}

export function resetBundle(call: Call, academy: Academy): Reply | Write {
  const bundle = productOf(academy.state, 'bundle', Number(call.body.bundle_id));
  if (bundle === undefined) return notFound();
  const effect = (student: Student, state: State) => {
    const held = heldCourses(state, student);
    for (const id of bundle.courses) if (held.includes(id)) student.percents.set(id, 0);
  };
  return about(call, academy, effect, 'Progress reset');
}
