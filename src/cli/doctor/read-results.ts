import type { Listed, Row } from './assumption.ts';
import { fieldsShown, listedIn, recordIn } from './response-records.ts';

/** What became of one of the reads. `why` is for a part that was skipped or failed. */
export interface Part {
  readonly name: string;
  readonly state: 'read' | 'empty' | 'skipped' | 'failed';
  readonly why?: string;
}

/** A record of another service may share one field by chance. */
const fewestFields = 2;

const notDocumented = 'what came is not the documented record: this is another API, or another version of it';

export const keysOf = ({ shape }: { shape: object }): string[] => Object.keys(shape);

/** Notes what became of each part. What is not the documented record is no part of what was seen. */
export function createParts() {
  const parts: Part[] = [];

  function note(name: string, isKnown: boolean): void {
    parts.push(isKnown ? { name, state: 'read' } : { name, state: 'failed', why: notDocumented });
  }

  const isDocumented = (fields: readonly string[], row: Row) => fieldsShown(fields, row) >= fewestFields;

  return {
    all: parts as readonly Part[],
    skipped: (name: string, why: string) => void parts.push({ name, state: 'skipped', why }),
    failed: (name: string, why: string) => void parts.push({ name, state: 'failed', why }),

    /** The list in a body; `body` is undefined if it was not read. */
    list: (name: string, key: string, fields: readonly string[], body: unknown): Listed | undefined => {
      if (body === undefined) return undefined;
      const list = listedIn(key, body);
      if (list.rows.length + list.strange === 0) {
        parts.push({ name, state: 'empty' });
        return list;
      }
      const isKnown = list.rows.some((row) => isDocumented(fields, row));
      note(name, isKnown);
      return isKnown ? list : undefined;
    },

    record: (name: string, fields: readonly string[], body: unknown): Row | undefined => {
      if (body === undefined) return undefined;
      const row = recordIn(fields, body);
      const isKnown = row !== undefined && isDocumented(fields, row);
      note(name, isKnown);
      return isKnown ? row : undefined;
    },

    /** A record that cannot be asked for, since its list did not name one. */
    without: (name: string, list: Listed | undefined, needed: string): undefined => {
      if (list !== undefined && list.rows.length + list.strange === 0) parts.push({ name, state: 'empty' });
      else parts.push({ name, state: 'skipped', why: `no ${needed} could be read` });
      return undefined;
    },
  };
}

export type Parts = ReturnType<typeof createParts>;
