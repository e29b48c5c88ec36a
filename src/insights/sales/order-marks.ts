import { order as shown } from '../../contract/orders.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { isObject, type Json } from '../../shared/json.ts';

// Fields of an order that the API document does not name and whose key says that the sale may not count. An order with one is
// never summed, since its amount may have been paid back; the answer names the field and shows the sums with it.

const undone = /refund|chargeback|charge_back|disput|cancel|void(_|ed|$)|delet|revok|revoc|(^|_)test(_|$)/;
/** A date or a rule for the future is no mark: "refundable_until". */
const isRule = /avoid|able(_|$)|^can_|_until$|deadline|policy|_url$/;
const nothing = /^(|no|none|never|null|false|n\/a|[-+]?0*\.?0*|(not?|non)[-_ ]\w*|un(refund|disput|cancel)\w*)$/i;

function isNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isNothing);
  if (isObject(value)) return Object.values(value).every(isNothing);
  return value === null || value === undefined || nothing.test(String(value).trim());
}

const plain = (key: string) => key.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();

/** The paths of the marks in an object: "payment.refunded_at". */
function marksIn(record: Json, known: ReadonlySet<string>, path: string, depth: number): string[] {
  return Object.entries(record).flatMap(([key, value]) => {
    if (known.has(key) || isNothing(value)) return [];
    const name = plain(key);
    if (undone.test(name) && !isRule.test(name)) return [oneLine(`${path}${key}`, 60)];
    return isObject(value) && depth > 0 ? marksIn(value, new Set(), `${path}${key}.`, depth - 1) : [];
  });
}

const documented: ReadonlySet<string> = new Set(Object.keys(shown.shape));

/** Names of the fields that mark an order as undone: "refunded_at". */
export function orderMarks(order: Json): string[] {
  return marksIn(order, documented, '', 2);
}
