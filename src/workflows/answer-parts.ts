import { refusalOf } from '../api/partial-failure.ts';

/** The parts of an answer, each of which may be refused while the others are read. */
export interface Parts {
  /** What is read, or undefined where the API refuses it. Throws what ends the whole, as a refused key does. */
  read<T>(name: string, reading: Promise<T>): Promise<T | undefined>;
  /** "the progress (forbidden: …)", one for each part that could not be read. */
  refused(): readonly string[];
}

export function createParts(): Parts {
  const refused: string[] = [];
  return {
    read: async (name, reading) => {
      try {
        return await reading;
      } catch (error) {
        const why = refusalOf(error, true);
        if (why === undefined) throw error;
        refused.push(`${name} (${why})`);
        return undefined;
      }
    },
    refused: () => refused,
  };
}
