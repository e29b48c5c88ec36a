import { orderStatuses } from '../../contract/orders.ts';
import { parseDecimal } from '../../contract/schemas/decimal.ts';
import { studentEmail } from '../../contract/schemas/shared-arguments.ts';
import { timeOf } from '../../insights/api-time.ts';
import { idOf } from '../../insights/sales/products-in-order.ts';
import { type ShapeCheck, shapeOf } from './mask-value.ts';

const endsWithOffset = /[T ]\d.*(Z|UTC|[+\-\u2212]\d\d(:?\d\d)?)$/i;

/** A time counts as handled if the tools' answers read it. A time without an offset is UTC. */
export const checkTime: ShapeCheck<unknown> = (value) => {
  const isHandled = typeof value === 'string' && timeOf(value) !== undefined;
  const shape = `time ${shapeOf(value)}`;
  if (!isHandled) return { shape, isHandled };
  return endsWithOffset.test(value.trim()) ? undefined : { shape: `${shape}, without an offset: UTC`, isHandled };
};

function isDecimal(value: unknown): boolean {
  return (typeof value === 'string' || typeof value === 'number') && parseDecimal(String(value)) !== undefined;
}

export const checkAmount: ShapeCheck<unknown> = (value) => {
  if (typeof value === 'string' && isDecimal(value)) return undefined;
  return { shape: `amount ${shapeOf(value)}`, isHandled: isDecimal(value) };
};

export const checkCurrency: ShapeCheck<unknown> = (value) => {
  if (typeof value === 'string' && /^[a-z]{3}$/i.test(value.trim())) return undefined;
  return { shape: `currency ${shapeOf(value)}`, isHandled: false };
};

export const checkEmail: ShapeCheck<unknown> = (value) => {
  if (studentEmail.safeParse(typeof value === 'string' ? value.trim() : value).success) return undefined;
  const shape = typeof value === 'string' && value !== '' ? 'not an email address' : `email ${shapeOf(value)}`;
  return { shape, isHandled: false };
};

const known: readonly string[] = orderStatuses;

/** Shows a value that looks like a status code. Anything else may be personal. */
function statusText(value: unknown): string {
  return typeof value === 'string' && /^[a-z][a-z_-]{0,29}$/i.test(value) ? `"${value}"` : shapeOf(value);
}

export const checkStatus: ShapeCheck<unknown> = (value) => {
  if (typeof value === 'string' && known.includes(value)) return undefined;
  const isHandled = typeof value === 'string' && known.includes(value.trim().toLowerCase());
  return { shape: `the status ${statusText(value)}`, isHandled };
};

/** 0 to 100. A value between 0 and 1 may be a fraction, so its meaning is unknown. */
export const checkPercentage: ShapeCheck<unknown> = (value) => {
  const isText = typeof value === 'string' && /^\s*\d{1,3}(\.\d{1,15})?\s*%?\s*$/.test(value);
  const number = isText ? Number(value.replace('%', '')) : value;
  const isPercentage = typeof number === 'number' && (number === 0 || (number >= 1 && number <= 100));
  if (isPercentage && Number.isInteger(value)) return undefined;
  return { shape: `percentage ${shapeOf(value)}`, isHandled: isPercentage };
};

export const checkId: ShapeCheck<unknown> = (value) => {
  if (typeof value === 'number' && idOf(value) !== undefined) return undefined;
  return { shape: `id ${shapeOf(value)}`, isHandled: idOf(value) !== undefined };
};
