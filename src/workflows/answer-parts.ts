import { recordFailureOf } from '../api/partial-failure.ts';

/** The parts of an answer. The API may refuse one while the others are read. */
export interface AnswerParts {
  /** The result, or undefined if the API refuses this part. Throws errors that concern every part, such as a refused key. */
  read<T>(name: string, reading: Promise<T>): Promise<T | undefined>;
  /** "the progress (forbidden: …)", one for each refused part. */
  refused(): readonly string[];
}

export function createAnswerParts(): AnswerParts {
  const refused: string[] = [];
  return {
    read: async (name, reading) => {
      try {
        return await reading;
      } catch (error) {
        const why = recordFailureOf(error, true);
        if (why === undefined) throw error;
        refused.push(`${name} (${why})`);
        return undefined;
      }
    },
    refused: () => refused,
  };
}
