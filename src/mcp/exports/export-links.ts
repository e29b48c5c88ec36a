import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { splitCsv } from '../../shared/csv.ts';
import { hourMs } from '../../shared/durations.ts';
import { AcademyError } from '../../shared/errors.ts';
import { type ByteStore, byteQuota } from '../../shared/shared-store.ts';
import { type CallerTurns, createCallerTurns, createTurns, type Turns } from '../../shared/turns.ts';
import type { Redact } from '../output/redact.ts';
import type { ExportSink } from './export-sink.ts';

/** What all accounts of a process share: their exports use the same memory. */
export interface ExportPlace {
  readonly store: ByteStore;
  /** Making an export, and packing and unpacking a part of one, happen once at a time. */
  readonly making: CallerTurns;
  readonly packing: Turns;
}

export const createExportPlace = (store: ByteStore): ExportPlace => ({
  store,
  making: createCallerTurns('exports'),
  packing: createTurns(),
});

interface ExportLinksOptions {
  readonly place: ExportPlace;
  /** What no other academy of this place has. */
  readonly academy: string;
  readonly redact: Redact;
  readonly now: () => Date;
}

/** Of one export. */
const maxBytes = 32 * 2 ** 20;

/** Per link: a client gets it in one message, and the server needs a dozen copies of that. */
export const maxLinkBytes = 2 * 2 ** 20;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** 128 bits, so that the address of an export cannot be guessed. */
const idBytes = 16;

const academyUri = 'academy://';

const mebibytes = (bytes: number) => `${bytes / 2 ** 20} MiB`;
const quotaText = `exports of one hour may have ${mebibytes(byteQuota.ofOwner)} for each caller and ${mebibytes(byteQuota.ofAll)} for all, compressed`;

const full = () =>
  new AcademyError('rate_limited', `there is no room for this export: ${quotaText}`, {
    hint: 'Export less: fewer columns, or add up with GROUP BY. Otherwise wait until older exports have expired.',
  });

/** Exports as resources, each for an hour and for the caller who made it. A long one has several, each with the names of the columns. */
export function createExportLinks({ place, academy, redact, now }: ExportLinksOptions): ExportSink {
  const { store, making, packing } = place;
  /** JSON, since the name of a caller may hold anything. */
  const keyOf = (id: string, caller: string) => JSON.stringify([academy, id, caller]);

  /** The id of a part; undefined if there is no room for it. */
  async function savePart(part: Uint8Array, caller: string): Promise<string | undefined> {
    const id = randomBytes(idBytes).toString('base64url');
    const text = redact(Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString());
    const kept = await store.put(keyOf(id, caller), await compress(text), { owner: caller, ttlMs: hourMs });
    return kept ? id : undefined;
  }

  return {
    maxBytes,
    check: async () => {},
    inTurn: making,
    save: async ({ csv }, { caller, account }) => {
      const links: string[] = [];
      let rows = 0;
      let why: string | undefined;
      for (const part of splitCsv(csv, maxLinkBytes)) {
        if (part === undefined) {
          why = `a row is longer than ${mebibytes(maxLinkBytes)}`;
          break;
        }
        const id = await packing(() => savePart(part.csv, caller));
        if (id === undefined) {
          if (links.length === 0) throw full();
          why = quotaText;
          break;
        }
        links.push(`${academyUri}${account === undefined ? '' : `${account}/`}exports/${id}`);
        rows += part.rows;
      }
      const expires_at = new Date(now().getTime() + hourMs).toISOString().replace(/\.\d+/, '');
      return { links, expires_at, rows, ...(why === undefined ? {} : { why }) };
    },
    read: async (id, caller) =>
      await packing(async () => {
        const found = await store.get(keyOf(id, caller));
        return found && (await decompress(found)).toString();
      }),
  };
}
