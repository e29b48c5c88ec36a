import type { Call, Reply, Rules } from '../academy/rules.ts';
import type { Json } from '../academy/state.ts';

export const records = (value: unknown): Json[] => (Array.isArray(value) ? value : []);

/** The reason for a refused write, which an answer must pass on. */
export const refusalWords = 'Seat limit reached';

export const isWrite = ({ method, route }: Call) => method !== 'GET' && route !== 'courses.completion';

export function refusing(reply: () => Reply): Rules {
  return { before: (call) => (isWrite(call) ? reply() : undefined) };
}

export function answering(reply: (given: Reply, call: Call) => Reply): Rules {
  return { after: (given, call) => (isWrite(call) && given.status < 300 ? reply(given, call) : given) };
}

/** The subjects of switches; each class has its own file. */
export const classes = [
  ...['fine', 'denial', 'not the API', 'dropped fields', 'product elements', 'amounts', 'dates', 'statuses'],
  ...['paging', 'bounds', 'clocks', 'filters', 'student details', 'not found', 'completion', 'structure'],
  ...['community', 'errors', 'answers of writes', 'effects', 'products', 'marks', 'whole lists'],
  ...['another record', 'time', 'changes', 'meaning of reads', 'meaning of writes', 'contradictions'],
] as const;

/** One point in which platforms may differ. */
export interface Switch {
  readonly name: string;
  readonly class: (typeof classes)[number];
  /** open: the document allows it. departs: it contradicts the document. fine: it must make no difference. */
  readonly kind: 'open' | 'departs' | 'fine';
  readonly says: string;
  readonly probes: readonly string[];
  readonly rules: Rules;
  /** Untrue texts that an error must not contain. */
  readonly lies?: RegExp | undefined;
  /** Message of the API that an error of a write must pass on. */
  readonly words?: string | undefined;
  /** The API reports success for a write that it did not do: believing it is not a fault. */
  readonly trusts?: boolean | undefined;
}

type Own = Rules & Partial<Pick<Switch, 'kind' | 'probes' | 'lies' | 'words' | 'trusts'>>;

/** Makes the switches of a class: each has its own rules, and what else differs from the usual. */
export const classOf =
  (prefix: string, of: Switch['class'], usual: Own & Pick<Switch, 'kind' | 'probes'>) =>
  (name: string, says: string, own: Own): Switch => {
    const { kind, probes, lies, words, trusts, ...rules } = { ...usual, ...own };
    return { name: `${prefix}-${name}`, class: of, kind, says, probes, lies, words, trusts, rules };
  };

/** Every ninth order is undone, and shows these fields; the others show other values. */
export const undone = (shown: Json, otherwise: Json): Rules => ({
  seed: ({ orders: all }) => {
    for (const order of all) order.undone = order.number % 9 === 0 && Number(order.amount) > 0;
  },
  order: (given, order) => ({ ...given, ...(order.undone === true ? shown : otherwise) }),
});

// Groups of probes that several classes affect.

const of = (tool: string, names: string) => names.split(' ').map((name) => `${tool}/${name}`);

export const everySale = ['find_buyers/*', 'sales_report/*'];
export const sales = ['find_buyers', ...of('find_buyers', 'bundle week'), 'sales_report', 'sales_report/days'];
export const bounded = ['find_buyers/week', ...of('sales_report', 'days edges dates')];
export const orders = ['list_orders', 'list_orders/status', 'get_order'];
/** A student for each way to have access, one without access, and an unknown email. */
export const students = [
  ...of('student_profile', 'bundle granted wallet pending many'),
  ...of('diagnose_access', 'buyer bundle digital wallet pending stranger nobody'),
];
export const bulk = ['sync_roster'];
export const lessonReads = ['get_course_structure', 'plan_course_outline', 'apply_course_outline'];
export const communityReads = ['community_digest', 'search_posts'];
export const enrolls = of('enroll_student', 'new known bundle');
const removals = 'unenroll_student revoke_course revoke_bundle grant_role revoke_role';
export const access = [...enrolls, ...removals.split(' '), 'reset_course_progress', 'reset_bundle_progress'];
export const updates = ['update_product', 'update_lesson', 'update_channel'];
export const writes = [...access, ...updates, 'create_lesson', 'create_channel'];
export const reads = [
  ...['find_buyers', 'sales_report', 'list_orders', 'get_order', 'student_profile/bundle', 'diagnose_access/buyer'],
  ...['diagnose_access/nobody', 'list_students', 'course_progress', ...communityReads, 'get_course_structure'],
];
