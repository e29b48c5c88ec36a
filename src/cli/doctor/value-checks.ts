import { orderStatuses } from '../../contract/orders.ts';
import { parseDecimal } from '../../contract/schemas/decimal.ts';
import { studentEmail } from '../../contract/schemas/shared-arguments.ts';
import { timeOf } from '../../insights/api-time.ts';
import { idOf } from './response-records.ts';
import { formOf, type Judge } from './value-shapes.ts';

const endsWithOffset = /[T ]\d.*(Z|UTC|[+\-\u2212]\d\d(:?\d\d)?)$/i;

/** What counts as read is what the answers read. A time without an offset is UTC. */
export const asTime: Judge<unknown> = (value) => {
  const isRead = typeof value === 'string' && timeOf(value) !== undefined;
  const form = `time ${formOf(value)}`;
  if (!isRead) return { form, isRead };
  return endsWithOffset.test(value.trim()) ? undefined : { form: `${form}, without an offset: UTC`, isRead };
};

function isDecimal(value: unknown): boolean {
  return (typeof value === 'string' || typeof value === 'number') && parseDecimal(String(value)) !== undefined;
}

export const asAmount: Judge<unknown> = (value) => {
  if (typeof value === 'string' && isDecimal(value)) return undefined;
  return { form: `amount ${formOf(value)}`, isRead: isDecimal(value) };
};

export const asCurrency: Judge<unknown> = (value) => {
  if (typeof value === 'string' && /^[a-z]{3}$/i.test(value.trim())) return undefined;
  return { form: `currency ${formOf(value)}`, isRead: false };
};

export const asEmail: Judge<unknown> = (value) => {
  if (studentEmail.safeParse(typeof value === 'string' ? value.trim() : value).success) return undefined;
  const form = typeof value === 'string' && value !== '' ? 'not an email address' : `email ${formOf(value)}`;
  return { form, isRead: false };
};

const known: readonly string[] = orderStatuses;

/** A word that nobody typed in: safe to show. */
function wordOf(value: unknown): string {
  return typeof value === 'string' && /^[a-z][a-z_-]{0,29}$/i.test(value) ? `"${value}"` : formOf(value);
}

export const asStatus: Judge<unknown> = (value) => {
  if (typeof value === 'string' && known.includes(value)) return undefined;
  const isRead = typeof value === 'string' && known.includes(value.trim().toLowerCase());
  return { form: `the status ${wordOf(value)}`, isRead };
};

/** 0 to 100. A fraction between 0 and 1 may be a share, so it is not known what it means. */
export const asPercentage: Judge<unknown> = (value) => {
  const isText = typeof value === 'string' && /^\s*\d{1,3}(\.\d{1,15})?\s*%?\s*$/.test(value);
  const number = isText ? Number(value.replace('%', '')) : value;
  const isPercentage = typeof number === 'number' && (number === 0 || (number >= 1 && number <= 100));
  if (isPercentage && Number.isInteger(value)) return undefined;
  return { form: `percentage ${formOf(value)}`, isRead: isPercentage };
};

export const asId: Judge<unknown> = (value) => {
  if (typeof value === 'number' && idOf(value) !== undefined) return undefined;
  return { form: `id ${formOf(value)}`, isRead: idOf(value) !== undefined };
};
