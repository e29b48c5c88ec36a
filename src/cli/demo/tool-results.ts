import * as z from 'zod';

// The fields of tool answers that the demo reads.

const revenue = z.record(z.string(), z.string());
const period = z.object({ from: z.iso.datetime(), to: z.iso.datetime() });

export const salesReport = z.object({
  /** Best sellers first; `course 7`. */
  groups: z.array(z.object({ key: z.string(), label: z.string().default('') })).default([]),
});

const buyer = z.object({
  email: z.string(),
  name: z.string().default(''),
  orders: z.int().default(1),
  /** A text is a sum in the currency of the answer. */
  amount: z.union([z.string(), revenue]),
  date: z.iso.date(),
  via: z.string().optional(),
});

export type Buyer = Omit<z.output<typeof buyer>, 'amount'> & { amount: Record<string, string> };

export const foundBuyers = z
  .object({
    product: z.object({ id: z.int() }),
    period,
    totals: z.object({ buyers: z.int(), orders: z.int(), granted_excluded: z.int(), order_total: revenue }),
    currency: z.string().default(''),
    /** Values that most rows share, stated once. */
    defaults: z.looseObject({}).default({}),
    buyers: z.array(z.looseObject({})).default([]),
    coverage: z.object({ complete: z.boolean() }),
  })
  .transform(({ currency, defaults, buyers, ...found }) => ({
    ...found,
    buyers: buyers.map((row): Buyer => {
      const { amount, ...shown } = buyer.parse({ ...defaults, ...row });
      return { ...shown, amount: typeof amount === 'string' ? { [currency]: amount } : amount };
    }),
  }));

export type FoundBuyers = z.output<typeof foundBuyers>;

const holding = z.object({
  product: z.string(),
  title: z.string().default(''),
  how: z.string(),
  via: z.string().optional(),
  since: z.string().default(''),
  course_completion_percent: z.int().optional(),
});

export type Holding = z.output<typeof holding>;

export const studentProfile = z.object({
  student: z.object({ email: z.string(), name: z.string() }),
  holds: z.array(holding).default([]),
});

export type Profile = z.output<typeof studentProfile>;

const toolCall = z.object({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) });

export const diagnosis = z.object({
  holds: z.boolean(),
  reason: z.string(),
  through: z.array(z.object({ order: z.string(), how: z.string(), since: z.string().default('') })).default([]),
  fix: toolCall.or(z.object({ or_grant_free: toolCall }).transform(({ or_grant_free }) => or_grant_free)).optional(),
});

export type Diagnosis = z.output<typeof diagnosis>;

export const queried = z.object({
  rows: z.array(z.looseObject({})).default([]),
  coverage: z.object({ complete: z.boolean() }),
});

export const refreshed = z.object({ finished: z.boolean() });

export const plannedOutline = z.object({
  base_version: z.string(),
  warnings: z.array(z.string()).default([]),
  /** Lines. */
  tree: z.array(z.string()),
});

export const appliedOutline = z.object({
  verified: z.literal(true),
  base_version: z.string(),
  undo_outline: z.looseObject({}),
});
