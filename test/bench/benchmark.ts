export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Outcome {
  readonly tables: readonly Table[];
  /** Notes that explain the tables, one paragraph each. */
  readonly notes: readonly string[];
}

/** One question about speed or size, and the measurement that answers it. */
export interface Benchmark {
  readonly name: string;
  readonly title: string;
  run(): Promise<Outcome>;
}
