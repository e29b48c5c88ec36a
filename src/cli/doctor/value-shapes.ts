import { isObject } from '../../shared/json.ts';
import type { Difference } from './assumption.ts';

const maxForm = 40;

/** The form of a value without the value, since it may be personal: digits become 9, letters become a. */
export function formOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (value === '') return 'an empty text';
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  if (typeof value === 'boolean') return 'true or false';
  const masked = String(value)
    .slice(0, maxForm)
    .replace(/\p{N}/gu, '9')
    .replace(/\p{L}/gu, 'a')
    // Some symbols of money say more than a mask would; everything else outside of ASCII is replaced.
    .replace(/[^\x20-\x7e€£¥]/gu, '?');
  return typeof value === 'number' ? `a number such as ${masked}` : `"${masked}"`;
}

/** How a value differs from what is expected; undefined for one that does not. */
export type Judge<Value> = (value: Value) => { form: string; isRead: boolean } | undefined;

const maxForms = 3;

/** Counts the forms in which values differ. Returns undefined for no values. */
export function differencesIn<Value>(values: readonly Value[], judge: Judge<Value>): readonly Difference[] | undefined {
  if (values.length === 0) return undefined;
  const forms = new Map<string, { form: string; count: number; isRead: boolean }>();
  for (const value of values) {
    const judged = judge(value);
    if (judged === undefined) continue;
    const { form, isRead } = judged;
    // "99,99" and "9,99" are one form; the first stands for all.
    const key = form.replace(/(9|a)\1+/g, '$1');
    const known = forms.get(key) ?? { form, count: 0, isRead };
    forms.set(key, { ...known, count: known.count + 1 });
  }
  const sorted = [...forms.values()].sort((one, other) => Number(one.isRead) - Number(other.isRead));
  return sorted
    .slice(0, maxForms)
    .map(({ form, count, isRead }) => ({ seen: `${form} (${count} of ${values.length})`, isRead }));
}

export const holds: readonly Difference[] = [];

export function differs(seen: string, isRead = false): readonly Difference[] {
  return [{ seen, isRead }];
}
