export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A bar of a plot. `figure` is its value as the reader sees it. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly figure: string;
}

/** A bar chart. The bars whose label starts with "academy-mcp" are highlighted. */
export interface Plot {
  /** Name of the file in docs/images/, without `.svg`. */
  readonly file: string;
  readonly title: string;
  readonly bars: readonly Bar[];
}

export interface Outcome {
  readonly tables: readonly Table[];
  readonly plots?: readonly Plot[];
  /** Notes that explain the tables, one paragraph each. */
  readonly notes: readonly string[];
}

/** One question about speed or size, and the measurement that answers it. */
export interface Benchmark {
  readonly name: string;
  readonly title: string;
  run(): Promise<Outcome>;
}
