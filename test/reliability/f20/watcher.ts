import { type Era, eras } from '../../support/eras.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The fields that tell the events of a kind apart. An order has its id, and no other event has one of its own. */
const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  new_order: ['id'],
  new_student: ['email'],
  student_completed: ['email'],
  course_completed: ['email', 'course_id'],
  new_answer: ['email', 'lesson', 'question', 'answer'],
  new_project_post: ['email', 'post'],
};

/** A text for each event, the same for what the academy sent and for what a client reads, verified or not. */
export function identityOf(event: string, fields: Fields, untrusted: Fields = {}): string {
  const plain = (value: unknown) => String(value).replace(/\s+/g, ' ').trim().toLowerCase();
  return [event, ...(fieldsOf[event] ?? []).map((name) => plain(fields[name] ?? untrusted[name]))].join(' | ');
}

export function counted(texts: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

const uri = 'academy://events';

export interface Connection {
  call(name: string, args: Record<string, unknown>): Promise<Record<string, unknown>>;
  list(args: Record<string, unknown>): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

type Connect = (url: string, onUpdate: () => void) => Promise<Connection>;

/** A client of this era, which the watcher itself closes. */
const connectWith =
  (era: Era | undefined): Connect =>
  async (url, onUpdate) => {
    const client = await era?.connect({ url }, undefined, () => {});
    if (client === undefined) throw new Error('there is no such era');
    await client.watch(uri, onUpdate);
    const call: Connection['call'] = async (name, args) => {
      const { structuredContent, isError } = await client.call(name, args);
      if (isError || structuredContent === undefined) throw new Error(`${name} failed`);
      return structuredContent;
    };
    return { call, list: (args) => call('list_recent_events', args), close: client.close };
  };

export const connectLegacy = connectWith(eras[0]);
export const connectModern = connectWith(eras.at(-1));

/** A client that was asked to watch for events: it reads the new ones after each notification, and after each connection. */
export type Watcher = ReturnType<typeof createWatcher>;

interface Row extends Record<string, unknown> {
  event: string;
  untrusted?: Record<string, unknown>;
  academy_text?: Record<string, unknown>;
}

export function createWatcher(url: string, connectTo: Connect) {
  const seen: string[] = [];
  let updates = 0;
  let cursor: unknown;
  let connection: Connection | undefined;
  let reading: Promise<void> = Promise.resolve();

  async function readNew(): Promise<void> {
    for (let isLast = false; !isLast && connection !== undefined; ) {
      const data = await connection.list({ limit: 200, ...(cursor === undefined ? {} : { cursor }) });
      for (const row of (data.events ?? []) as Row[]) {
        seen.push(identityOf(row.event, row, { ...row.academy_text, ...row.untrusted }));
      }
      cursor = data.new_cursor;
      isLast = data.left === undefined;
    }
  }

  /** One read at a time. One that a kill interrupts is repeated after the next connection. */
  function read(): Promise<void> {
    reading = reading.then(readNew).catch(() => {});
    return reading;
  }

  async function disconnect(): Promise<void> {
    const old = connection;
    connection = undefined;
    await old?.close().catch(() => {});
    await reading;
  }

  return {
    seen,
    updates: () => updates,
    connect: async () => {
      await disconnect();
      connection = await connectTo(url, () => {
        updates += 1;
        void read();
      });
      await read();
    },
    close: disconnect,
  };
}
