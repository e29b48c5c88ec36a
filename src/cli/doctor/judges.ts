import { decimalOf } from '../../contract/amount.ts';
import { studentEmail } from '../../contract/fields.ts';
import { orderStatuses } from '../../contract/orders.ts';
import { formOf, type Judge } from './forms.ts';
import { idOf } from './rows.ts';

const isoTime = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** ISO 8601 in UTC or with an offset. Without one it is read as UTC. */
export const asTime: Judge<unknown> = (value) => {
  const match = typeof value === 'string' ? isoTime.exec(value.trim()) : null;
  if (match === null) return { form: `times are written ${formOf(value)}`, isRead: false };
  if (match[1] !== undefined) return undefined;
  return { form: `times are written ${formOf(value)}, without an offset, and count as UTC`, isRead: true };
};

export const asAmount: Judge<unknown> = (value) => {
  if (typeof value === 'string' && decimalOf(value) !== undefined) return undefined;
  const isRead = typeof value === 'number' && Number.isFinite(value);
  return { form: `amounts are written ${formOf(value)}`, isRead };
};

export const asCurrency: Judge<unknown> = (value) => {
  if (typeof value === 'string' && /^[a-z]{3}$/i.test(value.trim())) return undefined;
  return { form: `currencies are written ${formOf(value)}`, isRead: false };
};

export const asEmail: Judge<unknown> = (value) => {
  if (studentEmail.safeParse(typeof value === 'string' ? value.trim() : value).success) return undefined;
  return { form: typeof value === 'string' && value !== '' ? 'not an email address' : formOf(value), isRead: false };
};

const known: readonly string[] = orderStatuses;

/** A word that nobody typed in: safe to show. */
function wordOf(value: unknown): string {
  return typeof value === 'string' && /^[a-z][a-z_ -]{0,29}$/i.test(value) ? `"${value}"` : formOf(value);
}

export const asStatus: Judge<unknown> = (value) => {
  if (typeof value === 'string' && known.includes(value)) return undefined;
  const isRead = typeof value === 'string' && known.includes(value.trim().toLowerCase());
  return { form: `the status ${wordOf(value)}`, isRead };
};

/** 0 to 100. A fraction between 0 and 1 may be a share, so it is not known what it means. */
export const asPercentage: Judge<unknown> = (value) => {
  const number = typeof value === 'string' ? Number(value.trim().replace(/%$/, '') || Number.NaN) : value;
  const isPercentage = typeof number === 'number' && (number === 0 || (number >= 1 && number <= 100));
  if (isPercentage && Number.isInteger(value)) return undefined;
  return { form: `percentages are written ${formOf(value)}`, isRead: isPercentage };
};

export const asId: Judge<unknown> = (value) => {
  if (typeof value === 'number' && idOf(value) !== undefined) return undefined;
  return { form: `ids are written ${formOf(value)}`, isRead: idOf(value) !== undefined };
};
