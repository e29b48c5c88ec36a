import {
  type Academy,
  type Call,
  failure,
  type Handler,
  type Handlers,
  isWithin,
  notFound,
  ok,
  paged,
  shaped,
} from '../rules.ts';
import {
  iso,
  type Json,
  type Order,
  productOf,
  type State,
  type Student,
  sameEmail,
  titled,
  totalCompletion,
} from '../state.ts';

function orderView(order: Order, academy: Academy): Json {
  const { state } = academy;
  const name = state.students.find(({ id }) => id === order.student)?.name ?? '';
  const [first, ...others] = name.split(' ');
  const shown: Json = {
    id: order.id,
    amount: order.amount,
    currency: order.currency,
    description: 'Order',
    user_email: order.email,
    user_name: name,
    user_first_name: first,
    user_last_name: others.join(' '),
    status: order.status,
    affiliate_id: null,
    courses: titled(state, 'course', order.courses),
    digital_products: titled(state, 'digital_product', order.digitals),
    bundles: titled(state, 'bundle', order.bundles),
    billing_city: 'Springfield',
    billing_state: null,
    billing_country: order.country,
    billing_street: 'High Street 1',
    billing_zip: '12345',
    billing_company: null,
    billing_phone: null,
    created_at: iso(order.at),
    updated_at: iso(order.at),
  };
  return shaped(academy, shown, (rules, value) => rules.order?.(value, order, academy));
}

function studentView(student: Student, academy: Academy): Json {
  const shown: Json = {
    id: student.id,
    name: student.name,
    email: student.email,
    created_at: iso(student.at),
    location: null,
    facebook_link: null,
    twitter_link: null,
    enrolled: student.percents.size > 0,
    admin: false,
    is_active: true,
    sign_in_count: student.id % 7,
    points: student.id * 3,
    completion_percent: totalCompletion(student),
  };
  return shaped(academy, shown, (rules, value) => rules.student?.(value, student));
}

const statuses = ['pending', 'failed', 'paid', 'wallet_executed', 'all'];

function isOfStudent(email: string, wanted: string, academy: Academy): boolean {
  const own = academy.rules.findLast(({ ofStudent }) => ofStudent !== undefined)?.ofStudent;
  return own === undefined ? email === wanted : own(email, wanted, academy);
}

function ordersFor(call: Call, academy: Academy): Order[] {
  const { status = 'paid', user_email } = call.query;
  return academy.state.orders
    .filter((order) => status === 'all' || order.status === status)
    .filter(({ email }) => user_email === undefined || isOfStudent(email, user_email, academy))
    .filter((order) => isWithin(order.at, call, academy))
    .sort((one, other) => other.at - one.at);
}

/** Page size is fixed. API document: "Limits". */
const size = 50;

export function studentBy({ students }: State, email: unknown): Student | undefined {
  return students.find((student) => typeof email === 'string' && sameEmail(student.email, email));
}

export function paidOrders({ orders }: State, { id }: Student) {
  return orders
    .filter(({ student, status }) => student === id && (status === 'paid' || status === 'wallet_executed'))
    .sort((one, other) => other.at - one.at);
}

export function heldCourses(state: State, student: Student): number[] {
  const listed = paidOrders(state, student).flatMap(({ courses, bundles }) => [
    ...courses,
    ...bundles.flatMap((id) => productOf(state, 'bundle', id)?.courses ?? []),
  ]);
  return [...new Set(listed)].sort((one, other) => one - other);
}

function detailsView(student: Student, academy: Academy): Json {
  const { state } = academy;
  const shown: Json = {
    ...studentView(student, academy),
    paying_student: student.paying,
    total_completion: totalCompletion(student),
    lesson_views_count: 12,
    lesson_completions_count: 7,
    paid_orders: paidOrders(state, student).map((order) => orderView(order, academy)),
    enrolled_courses: titled(state, 'course', heldCourses(state, student)),
  };
  return shaped(academy, shown, (rules, value) => rules.details?.(value, student, academy));
}

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

function about(call: Call, { state }: Academy, effect: (student: Student, state: State) => void, said: string) {
  const { email } = call.body;
  if (typeof email !== 'string') return required('email');
  const student = studentBy(state, email);
  return student === undefined ? notFound() : { effect: () => effect(student, state), answer: done(said) };
}

const without = (list: readonly number[], gone: readonly number[]) => list.filter((id) => !gone.includes(id));
const ordersOf = ({ orders }: State, { id }: Student) => orders.filter(({ student }) => student === id);

const role =
  (isGrant: boolean): Handler =>
  (call, academy) => {
    const id = Number(call.body.role_id);
    if (!academy.state.roles.some((one) => one.id === id)) return notFound();
    const effect = ({ roles }: Student) => void (isGrant ? roles.add(id) : roles.delete(id));
    return about(call, academy, effect, isGrant ? 'Role granted' : 'Role revoked');
  };

/** What the academy answers about its students and their orders. */
export const studentHandlers: Handlers = {
  'courses.completion POST /courses/:id/completion-percentage': ({ ids: [course], body }, { state }) => {
    if (typeof body.user_email !== 'string') return failure(422, 'invalid_parameter', 'user_email is required');
    const student = studentBy(state, body.user_email);
    if (student === undefined || productOf(state, 'course', Number(course)) === undefined) return notFound();
    const { id, name, email, at, percents } = student;
    const facts = { enrolled: true, admin: false, is_active: true, sign_in_count: 3, points: 9 };
    const percent = {
      completion_percent: totalCompletion(student),
      course_completion_percent: percents.get(Number(course)) ?? 0,
    };
    return ok({ id, name, email, created_at: iso(at), ...facts, ...percent });
  },
  'orders.list GET /orders': (call, academy) => {
    const { status = 'paid', page, per_page = '50' } = call.query;
    if (!statuses.includes(status)) return failure(422, 'invalid_parameter', 'status is not valid');
    const size = Number(per_page);
    if (!(size >= 1 && size <= 100)) return failure(422, 'invalid_parameter', 'per_page is not valid');
    const all = ordersFor(call, academy).map((order) => orderView(order, academy));
    return paged({ list: 'orders', all, size: page === undefined ? Math.max(1, all.length) : size }, call, academy);
  },
  'orders.get GET /orders/:id': ({ ids: [id] }, academy) => {
    const order = academy.state.orders.find((one) => one.id === id);
    return order === undefined ? notFound() : ok(orderView(order, academy));
  },
  'students.list GET /students': (call, academy) => {
    const all = academy.state.students.map((student) => studentView(student, academy));
    return paged({ list: 'students', all, size }, call, academy);
  },
  'students.details GET /students/details': ({ query }, academy) => {
    const student = studentBy(academy.state, query.email);
    return student === undefined ? notFound() : ok(detailsView(student, academy));
  },
  'students.completions GET /students/completions': (_call, academy) => {
    const done = academy.state.students.filter((student) => totalCompletion(student) >= 100);
    return ok({
      students: done.map((student) => ({
        ...studentView(student, academy),
        total_completion: totalCompletion(student),
      })),
    });
  },
  'students.answers GET /students/answers': () => ok({ answers: [] }),
  'students.posts GET /students/project-posts': () => ok({ project_posts: [] }),
  'student.enroll POST /student/enroll': ({ body }, academy) => {
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
  },
  'student.unenroll POST /student/unenroll': (call, academy) => {
    if (typeof call.body.name !== 'string') return required('name');
    const effect = (student: Student) => {
      student.paying = false;
    };
    return about(call, academy, effect, 'Student unenrolled');
  },
  'student.revoke-course POST /student/revoke-course': (call, academy) => {
    if (typeof call.body.name !== 'string') return required('name');
    const course = Number(call.body.course_id);
    const effect = (student: Student, state: State) => {
      for (const order of ordersOf(state, student)) order.courses = without(order.courses, [course]);
    };
    return productOf(academy.state, 'course', course) === undefined
      ? notFound()
      : about(call, academy, effect, 'Course revoked');
  },
  'student.revoke-bundle POST /student/revoke-bundle': (call, academy) => {
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
  },
  'student.grant-role POST /student/grant-role': role(true),
  'student.revoke-role POST /student/revoke-role': role(false),
  'student.reset-course POST /student/reset-course-progress': (call, academy) => {
    const course = Number(call.body.course_id);
    if (productOf(academy.state, 'course', course) === undefined) return notFound();
    return about(call, academy, ({ percents }) => void percents.set(course, 0), 'Progress reset');
  },
  'student.reset-bundle POST /student/reset-bundle-progress': (call, academy) => {
    const bundle = productOf(academy.state, 'bundle', Number(call.body.bundle_id));
    if (bundle === undefined) return notFound();
    const effect = (student: Student, state: State) => {
      const held = heldCourses(state, student);
      for (const id of bundle.courses) if (held.includes(id)) student.percents.set(id, 0);
    };
    return about(call, academy, effect, 'Progress reset');
  },
};
