import { oneLine } from '../../shared/clean-text.ts';
import { isNothing, isObject, type Json } from '../../shared/json.ts';
import { timeOf } from '../api-time.ts';
import { type ListedProduct, type ListRead, readProductList } from '../sales/products-in-order.ts';

// Reads the courses in the details of a student. The API document names the contents of that response, not its keys.

const mayHoldCourses = ([key, value]: [string, unknown]) =>
  /course|enrol/i.test(key) && typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** Undefined if the details have no list of courses. A list under another key could not be read. */
export function coursesInDetails(details: Json): ListRead | undefined {
  const list = readProductList(details.enrolled_courses ?? details.courses, 'course', false);
  return list ?? (Object.entries(details).some(mayHoldCourses) ? { products: [], isWhole: false } : undefined);
}

// What the API shows beside an order that speaks against access. The document names few of these fields, so the words of a
// key decide. "It is listed" is never "it is open".

const ended =
  /suspend|expel|bann|block|lock|revok|cancel|delet|remov|refund|paus|inactive|disabl|terminat|withdr|freez|frozen|archiv|merged|trash|unenrol|(^|_)(closed|left)_(at|on)$|^(is_)?closed$/;
const left = /(^|_)(days|hours|time|access)_(left|remaining)$|^remaining_/;
const until = /expir|until|valid_to|end(s|ed)?(_|$)|deadline/;
const from = /start|begin|open|available|launch|unlock|drip|valid_from/;
const allowed = /^(is_)?(active|enabled|valid|open|accessible|has_access|access|enrolled|visible|unlocked|published)$/;
const fine =
  /^(active|enrolled|ok|open|started|completed?|in_progress|not_started|paid|current|valid|published|approved|granted|enabled)$/;

function speaksAgainst(key: string, value: unknown, now: Date): boolean {
  const name = key.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
  const text = String(value).trim().toLowerCase();
  if (allowed.test(name)) return value !== null && value !== undefined && /^(0|false|no|none|denied)$/.test(text);
  if (left.test(name)) return /^-?0+(\.0*)?$|^-\d/.test(text);
  if (isNothing(value)) return false;
  if (/status$|(enrol|access|member|account|subscription).*state$/.test(name))
    return typeof value === 'string' && !fine.test(text);
  // Alone it may also be a part of an address.
  if (name === 'state') return ended.test(text) || /expired|^(ended|closed)$/.test(text);
  if (ended.test(name) && !/unlock|unblock/.test(name)) return true;
  const time = typeof value === 'string' ? timeOf(value) : undefined;
  if (until.test(name)) return time !== undefined ? time <= now.getTime() : /^(true|1|yes)$/.test(text);
  return from.test(name) && time !== undefined && time > now.getTime();
}

/** Fields of a record and of the objects in it that speak against access: "status suspended", "access.expires_at 2026-01-01". */
export function signsAgainst(record: Json, now: Date, path = ''): string[] {
  return Object.entries(record).flatMap(([key, value]) => {
    if (isObject(value)) return path === '' ? signsAgainst(value, now, `${key}.`) : [];
    const isSign = !Array.isArray(value) && speaksAgainst(key, value, now);
    return isSign ? [`${oneLine(`${path}${key}`, 60)} ${oneLine(String(value), 100)}`] : [];
  });
}

/** What the details of a student show against all access, or against access to a course: the fields of its entry. */
export function signsInDetails(details: Json, product: ListedProduct | undefined, now: Date): string[] {
  if (product === undefined) {
    // The document leaves open what `enrolled` means for access.
    const { enrolled: _enrolled, ...record } = details;
    return signsAgainst(record, now);
  }
  const list = product.kind === 'course' ? (details.enrolled_courses ?? details.courses) : undefined;
  const entries = Array.isArray(list) ? list.filter(isObject) : [];
  const entry = entries.find(({ course_id, id }) => String(course_id ?? id) === String(product.id));
  return signsAgainst(entry ?? {}, now);
}
