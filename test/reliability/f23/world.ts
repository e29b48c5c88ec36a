import type { Sandbox } from '../../../src/sandbox/index.ts';
import type { OrderRecord } from '../../../src/sandbox/state/orders.ts';
import type { Row } from '../../support/academy.ts';
import { call } from '../../support/sandbox.ts';

type Statuses = OrderRecord['status'];
const statuses: readonly Statuses[] = ['paid', 'pending', 'failed', 'wallet_executed'];

/** An academy that others change, too: also in ways that its API has no request for. */
export type World = ReturnType<typeof openWorld>;

export const changes = [
  'grant',
  'revoke',
  'rename',
  'capitals',
  'plus',
  'status',
  'vanish',
  'join',
  'leave',
  'title',
] as const;
export type Change = (typeof changes)[number];

const at = <Item>(items: readonly Item[], place: number): Item => {
  const item = items[place % items.length];
  if (item === undefined) throw new Error('an empty list');
  return item;
};

/** Another spelling of an email that names the same person: some letters are capitals. */
function respelled(email: string, seed: number): string {
  return [...email].map((letter, place) => ((seed >> (place % 7)) % 2 === 1 ? letter.toUpperCase() : letter)).join('');
}

export function openWorld(sandbox: Sandbox) {
  const { academy } = sandbox;
  const { orders, students } = academy;
  const gone = new Set<string>();
  const left = new Set<number>();
  /** The orders that others have changed since the last `forget`, with the time of the first change. */
  const touched = new Map<string, number>();
  const [getOrder, allOrders] = [orders.get.bind(orders), orders.all.bind(orders)];
  const allStudents = students.all.bind(students);
  const present = () => allOrders().filter(({ id }) => !gone.has(id));

  // Records are never removed from the sandbox: here they are left out.
  orders.all = present;
  orders.get = (id) => (gone.has(id) ? undefined : getOrder(id));
  students.all = () => allStudents().filter(({ id }) => !left.has(id));
  Object.defineProperty(students, 'size', { get: () => students.all().length });

  function touch(some: readonly OrderRecord[]): void {
    for (const { id } of some) if (!touched.has(id)) touched.set(id, Date.now());
  }

  const setFields = (order: OrderRecord, fields: Partial<OrderRecord>) => Object.assign(order, fields);
  /** The student, spelled in a way that depends on the number. */
  const person = (one: number, other: number) => {
    const { email, name } = at(students.all(), one);
    return { email: other % 3 === 0 ? email : respelled(email, other), name };
  };

  async function write(path: string, body: Row): Promise<void> {
    await call(sandbox, 'POST', `/api/v1/student/${path}`, body);
  }

  const byName: Readonly<Record<Change, (one: number, other: number) => Promise<void> | void>> = {
    grant: (one, other) => write('enroll', { ...person(one, other), course_id: at([1, 2, 3, 4, 5], other) }),
    revoke: async (one, other) => {
      const { id, email, name } = at(students.all(), one);
      touch(orders.ofStudent(id));
      const [course = 1] = orders.ofStudent(id).flatMap(({ courses }) => courses);
      await write('revoke-course', { email, name, course_id: other % 2 === 0 ? course : 1 + (other % 5) });
    },
    rename: (one, other) => {
      const student = at(students.all(), one);
      touch(orders.ofStudent(student.id));
      student.name = `Renamed ${other}`;
    },
    capitals: (one, other) => {
      const order = at(present(), one);
      touch([order]);
      setFields(order, { user_email: respelled(order.user_email, other) });
    },
    plus: (one, other) => {
      const order = at(present(), one);
      touch([order]);
      setFields(order, { user_email: order.user_email.replace(/(\+\d*)?@/, `+${other}@`) });
    },
    status: (one, other) => {
      const order = at(present(), one);
      touch([order]);
      setFields(order, { status: at(statuses, other), updated_at: Date.now() });
    },
    vanish: (one) => {
      gone.add(at(present(), one).id);
    },
    join: (one, other) => {
      const email = respelled(`new.person+${one}-${other}@example.com`, other);
      students.join({ email, name: `New ${one}`, createdAt: Date.now() });
    },
    leave: (one) => {
      left.add(at(students.all(), one).id);
    },
    title: async (one, other) => {
      touch(present());
      const body = { product: { title: `Title ${other}` } };
      await call(sandbox, 'PATCH', `/api/v1/products/course/${at([1, 2, 3, 4, 5], one)}`, body);
    },
  };

  return {
    sandbox,
    touched,
    person,
    /** Before a write of ours: the academy knows whose an order is, also under an email that is not the student's. Nobody else does. */
    touchForeign: () => {
      const isOwn = ({ student_id, user_email }: OrderRecord) =>
        students.get(student_id)?.email.toLowerCase() === user_email.toLowerCase();
      touch(present().filter((order) => !isOwn(order)));
    },
    change: async (name: Change, one: number, other: number) => await byName[name](one, other),
  };
}
