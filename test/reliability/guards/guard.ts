/** One guard of the program, how to remove it, and the tests that must notice. */
export interface Guard {
  readonly name: string;
  /** Relative to the project. */
  readonly file: string;
  /** Occurs in the file exactly once: if the code moves, `guards.test.ts` fails. */
  readonly text: string;
  readonly instead: string;
  /** Test files that must notice: the quickest that does. */
  readonly tests: readonly string[];
  /** Runs only the tests whose names match: the rest of the file takes long or tests something else. */
  readonly only?: string;
  /** The tests run the built program. */
  readonly isBuilt?: boolean;
}
