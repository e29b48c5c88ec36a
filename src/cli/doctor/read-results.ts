import type { JsonRecord, RecordList } from './assumption.ts';
import { fieldsShown, findList, findRecord } from './response-records.ts';

/** The result of one read. `why` gives the reason if it was skipped or failed. */
export interface ReadResult {
  readonly name: string;
  readonly state: 'read' | 'empty' | 'skipped' | 'failed';
  readonly why?: string;
}

/** A record of another service may have one matching field by chance. */
const minFields = 2;

const notDocumented = 'the answer is not the documented record: this is another API, or another version of it';

export const keysOf = ({ shape }: { shape: object }): string[] => Object.keys(shape);

/** Collects the result of each read. Data that does not match the documented record is dropped. */
export function createReadResults() {
  const results: ReadResult[] = [];

  function addResult(name: string, isKnown: boolean): void {
    results.push(isKnown ? { name, state: 'read' } : { name, state: 'failed', why: notDocumented });
  }

  const isDocumented = (fields: readonly string[], row: JsonRecord) => fieldsShown(fields, row) >= minFields;

  return {
    all: results as readonly ReadResult[],
    skipped: (name: string, why: string) => void results.push({ name, state: 'skipped', why }),
    failed: (name: string, why: string) => void results.push({ name, state: 'failed', why }),

    /** Returns the list in a body. `body` is undefined if it was not read. */
    list: (name: string, key: string, fields: readonly string[], body: unknown): RecordList | undefined => {
      if (body === undefined) return undefined;
      const list = findList(key, body);
      if (list.rows.length + list.nonRecords === 0) {
        results.push({ name, state: 'empty' });
        return list;
      }
      const isKnown = list.rows.some((row) => isDocumented(fields, row));
      addResult(name, isKnown);
      return isKnown ? list : undefined;
    },

    record: (name: string, fields: readonly string[], body: unknown): JsonRecord | undefined => {
      if (body === undefined) return undefined;
      const row = findRecord(fields, body);
      const isKnown = row !== undefined && isDocumented(fields, row);
      addResult(name, isKnown);
      return isKnown ? row : undefined;
    },

    /** Records that a record was not read, since its list names none. */
    missing: (name: string, list: RecordList | undefined, needed: string): undefined => {
      if (list !== undefined && list.rows.length + list.nonRecords === 0) results.push({ name, state: 'empty' });
      else results.push({ name, state: 'skipped', why: `no ${needed} could be read` });
      return undefined;
    },
  };
}

export type ReadResults = ReturnType<typeof createReadResults>;
