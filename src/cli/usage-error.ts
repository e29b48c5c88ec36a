/** The command line is wrong. Exit code 2. */
export class UsageError extends Error {
  /** The command whose help describes the right usage. */
  readonly command: string;

  constructor(message: string, command: string) {
    super(message);
    this.command = command;
  }
}
