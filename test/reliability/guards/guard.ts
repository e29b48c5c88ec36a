/** One guard of the program, how to take it out, and the tests that must notice. */
export interface Guard {
  readonly name: string;
  /** Relative to the project. */
  readonly file: string;
  /** Stands in the file exactly once: a guard that has moved fails the figure, so that this list cannot rot. */
  readonly text: string;
  readonly instead: string;
  /** Test files that must notice, the quickest one that does. */
  readonly tests: readonly string[];
  /** Only tests whose names match, where the rest of a file takes long. */
  readonly only?: string;
  /** The tests run the built program. */
  readonly isBuilt?: boolean;
}
