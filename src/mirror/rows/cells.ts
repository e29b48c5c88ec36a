import { parseDecimal } from '../../contract/schemas/decimal.ts';
import { buyerKey } from '../../insights/sales/sold-order.ts';
import { oneLine } from '../../shared/clean-text.ts';
import type { Cell } from '../engine/messages.ts';

/** Longest name, title or email, as other tools show it. */
const maxLine = 200;

export const lineCell = (value: string | null | undefined): Cell => (value ? oneLine(value, maxLine) || null : null);

export const flagCell = (value: boolean | undefined): Cell => (value === undefined ? null : Number(value));

export const numberCell = (value: number | null | undefined): Cell => value ?? null;

/** email and email_key. Texts without a letter case differ in neither. */
export function emailCells(email: string | undefined): readonly [Cell, Cell] {
  const shown = lineCell(email);
  return [shown, typeof shown === 'string' ? buyerKey(shown) : null];
}

/** Places of the whole numbers in which the mirror has amounts. */
const places = 4;

/** The amount as a whole number of 1/10,000; null if it is none, or would have to be rounded. */
export function unitsOf(amount: string | undefined): number | null {
  const value = parseDecimal(amount);
  if (value === undefined) return null;
  const factor = 10n ** BigInt(Math.abs(places - value.places));
  const units = value.places <= places ? value.units * factor : value.units / factor;
  if (value.places > places && units * factor !== value.units) return null;
  const number = Number(units);
  return Number.isSafeInteger(number) ? number : null;
}
