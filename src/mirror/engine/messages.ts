import type { MirrorCell } from '../../mcp/data-mirror.ts';

// What the main thread and the threads of the databases say to each other.

export type Cell = MirrorCell;

/** A statement of this program. Its parameters are bound by position. */
export interface Statement {
  readonly sql: string;
  readonly values?: readonly Cell[];
}

/**
 * Why the database refused. `sql`: the statement is wrong; `slow`, `large`: it takes too long or too much; `stopped`: it was
 * interrupted from outside; `ended`: its thread has ended; `damaged`: the database is.
 */
type RefusalKind = 'sql' | 'read_only' | 'slow' | 'large' | 'stopped' | 'ended' | 'damaged';

/** The database refused a statement or an image. The message is for the person who wrote the statement. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

export const maxBytes = 2 ** 31 - 1;

/** Memory for a database and its snapshot. Each grows in place, since a larger copy would need as much again. */
export type Memories = readonly [SharedArrayBuffer, SharedArrayBuffer];
const createMemory = () => new SharedArrayBuffer(0, { maxByteLength: maxBytes });
export const createMemories = (): Memories => [createMemory(), createMemory()];

export function createImage(memory: SharedArrayBuffer) {
  // It grows with its memory.
  const bytes = new Uint8Array(memory);
  let length = 0;
  return {
    bytes: (from = 0, to = length): Uint8Array => bytes.subarray(Math.min(from, length), Math.min(to, length)),
    resize: (to: number) => {
      if (to > memory.byteLength) memory.grow(to);
      length = to;
    },
  };
}

export type Image = ReturnType<typeof createImage>;

/** A snapshot: in which of the memories it is, and its length. */
export interface Snapshot {
  readonly slot: 0 | 1;
  readonly bytes: number;
}

export interface WorkerData {
  /** Not 0: the statement of a caller has to stop. */
  readonly stop: Int32Array;
  readonly memories: Memories;
}

/** What a thread answers to each request: in their order, so they need no numbers. */
export type Answer = { readonly answer: unknown } | { readonly refusal: { kind: RefusalKind; message: string } };
