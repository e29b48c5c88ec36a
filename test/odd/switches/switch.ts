import type { Rules } from '../academy/rules.ts';

/** What a switch is about; docs of each are in the file of its class. */
export const classes = [
  'fine',
  'denial',
  'not the API',
  'dropped fields',
  'product elements',
  'amounts',
  'dates',
  'statuses',
  'paging',
  'bounds',
  'clocks',
  'filters',
  'student details',
  'not found',
  'completion',
  'structure',
  'community',
  'errors',
  'envelopes',
  'answers of writes',
  'effects',
  'products',
  'combined',
] as const;

/** One point on which a platform may differ from another. */
export interface Switch {
  readonly name: string;
  readonly class: (typeof classes)[number];
  /** open: the document allows it. departs: the document says otherwise. fine: it must make no difference. */
  readonly kind: 'open' | 'departs' | 'fine';
  /** What it does, in a line. */
  readonly says: string;
  /** Names of the probes that it touches. */
  readonly probes: readonly string[];
  readonly rules: Rules;
  /** What an error must not say, since it would be untrue. */
  readonly lies?: RegExp;
  /** Words of the API that an error of a write must pass on. */
  readonly words?: string;
  /** The API reports success of what it did not do: to believe it is no fault. */
  readonly trusts?: boolean;
}

// Groups of probes that several classes touch.

export const everySale = ['find_buyers/*', 'sales_report/*'];
export const sales = ['find_buyers', 'find_buyers/bundle', 'find_buyers/week', 'sales_report', 'sales_report/days'];
export const bounded = ['find_buyers/week', 'sales_report/days', 'sales_report/edges', 'sales_report/dates'];
export const orders = ['list_orders', 'list_orders/status', 'get_order'];
/** Who holds in each way, who does not, and who is nobody. */
export const students = [
  'student_profile/bundle',
  'student_profile/granted',
  'student_profile/wallet',
  'student_profile/pending',
  'student_profile/many',
  'diagnose_access/buyer',
  'diagnose_access/bundle',
  'diagnose_access/digital',
  'diagnose_access/wallet',
  'diagnose_access/pending',
  'diagnose_access/stranger',
  'diagnose_access/nobody',
];
export const bulk = ['bulk_enroll_students'];
export const lessonReads = ['get_course_structure', 'plan_course_outline', 'apply_course_outline'];
export const communityReads = ['community_digest', 'search_posts'];
export const enrolls = ['enroll_student/new', 'enroll_student/known', 'enroll_student/bundle'];
export const access = [
  ...enrolls,
  'unenroll_student',
  'revoke_course',
  'revoke_bundle',
  'grant_role',
  'revoke_role',
  'reset_course_progress',
  'reset_bundle_progress',
];
export const updates = ['update_product', 'update_lesson', 'update_channel'];
export const creates = ['create_lesson', 'create_channel'];
export const writes = [...access, ...updates, ...creates];
export const reads = [
  'find_buyers',
  'sales_report',
  'list_orders',
  'get_order',
  'student_profile/bundle',
  'diagnose_access/buyer',
  'diagnose_access/nobody',
  'list_students',
  'course_progress',
  ...communityReads,
  'get_course_structure',
];
