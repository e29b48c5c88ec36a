import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { hourMs } from '../../shared/durations.ts';
import { createMemoryStore, type SharedStore } from '../../shared/shared-store.ts';
import type { Redact } from '../output/redact.ts';
import type { ExportSink } from './export-sink.ts';

interface ExportLinksOptions {
  /** What all replicas see; undefined for one process. */
  readonly store: SharedStore | undefined;
  readonly redact: Redact;
  readonly now: () => Date;
}

/** A client gets the whole export in one message. */
const maxBytes = 32 * 2 ** 20;

/** All exports of a process together, compressed; the oldest go first. Characters. */
const maxCharacters = 128 * 2 ** 20;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** 128 bits: nobody guesses the address of an export. */
const idBytes = 16;

/** JSON, since the name of a caller may hold anything. */
const keyOf = (id: string, caller: string) => JSON.stringify([id, caller]);

const academyUri = 'academy://';

/** Exports as resources, each for an hour and for the caller who made it. */
export function createExportLinks({ store, redact, now }: ExportLinksOptions): ExportSink {
  const exports = store ?? createMemoryStore({ maxCharacters });
  return {
    maxBytes,
    check: async () => {},
    save: async ({ csv }, { caller, account }) => {
      const id = randomBytes(idBytes).toString('base64url');
      const key = keyOf(id, caller);
      const text = redact(Buffer.from(csv.buffer, csv.byteOffset, csv.byteLength).toString());
      await exports.set(key, (await compress(text)).toString('base64'), hourMs);
      // A store forgets what has expired only when it needs the room.
      setTimeout(() => void exports.delete(key), hourMs).unref();
      const link = `${academyUri}${account === undefined ? '' : `${account}/`}exports/${id}`;
      return { link, expires_at: new Date(now().getTime() + hourMs).toISOString().replace(/\.\d+/, '') };
    },
    read: async (id, caller) => {
      const found = await exports.get(keyOf(id, caller));
      return found && (await decompress(Buffer.from(found.value, 'base64'))).toString();
    },
  };
}
