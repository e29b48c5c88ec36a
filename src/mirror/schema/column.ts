/** A column of the mirror: its SQL and, for describe_data, its meaning. */
export interface Column {
  readonly name: string;
  /** Type and constraints in SQL; empty for a column of a view. */
  readonly sql: string;
  /** Meaning and unit; undefined if the name says all. */
  readonly meaning?: string;
  /** Whether members write its values: a name, an address or a title, or text at length. */
  readonly ofMembers?: 'line' | 'text';
}

export interface Table {
  readonly name: string;
  readonly meaning: string;
  readonly columns: readonly Column[];
  /** What follows the columns in CREATE TABLE. */
  readonly constraint?: string;
  /** WITHOUT ROWID: the table is its own index. */
  readonly isIndex?: boolean;
  /** The statement behind a view. */
  readonly view?: string;
  readonly indexes?: readonly string[];
}

export const column = (name: string, sql: string, meaning?: string): Column => ({
  name,
  sql,
  ...(meaning === undefined ? {} : { meaning }),
});

/** A column whose values members write. */
export const memberColumn = (
  name: string,
  sql: string,
  meaning?: string,
  ofMembers: NonNullable<Column['ofMembers']> = 'line',
): Column => ({ ...column(name, sql, meaning), ofMembers });

/** Emails compare without case: the platform keeps them as people typed them. */
export const email = memberColumn('email', 'TEXT COLLATE NOCASE');

/** The moment of a record, and its calendar in the time zone of the mirror. */
export const times: readonly Column[] = [
  column('created_at', 'TEXT', 'UTC'),
  column('created_ms', 'INTEGER'),
  column('day', 'TEXT', '2026-11-09'),
  column('week', 'TEXT', '2026-W46'),
  column('month', 'TEXT', '2026-11'),
];

export const money: readonly Column[] = [
  column('amount', 'TEXT', 'decimal text: add it with decimal_sum(amount)'),
  column('amount_e4', 'INTEGER', 'amount x 10,000'),
  column('currency', 'TEXT'),
];

export const product: readonly Column[] = [
  column('kind', 'TEXT', 'course, bundle or digital_product'),
  column('product_id', 'INTEGER', 'unique within its kind'),
];
