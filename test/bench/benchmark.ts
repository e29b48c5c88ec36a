/** A table, its ratios before its milliseconds. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Outcome {
  readonly tables: readonly Table[];
  /** What a reader must know to read the tables; one paragraph each. */
  readonly notes: readonly string[];
}

/** Registers what is to be done when the benchmark is over, however it ends: the last one first. */
export type AtEnd = (close: () => unknown) => void;

/** One question about speed or size, and the measurement that answers it. */
export interface Benchmark {
  readonly title: string;
  run(atEnd: AtEnd): Promise<Outcome>;
}

export async function outcomeOf({ run }: Benchmark): Promise<Outcome> {
  const closers: (() => unknown)[] = [];
  try {
    return await run((close) => closers.unshift(close));
  } finally {
    for (const close of closers) await close();
  }
}
