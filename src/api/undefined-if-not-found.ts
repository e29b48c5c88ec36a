import { AcademyError } from '../shared/errors.ts';

/** The result of a read, or undefined if the record does not exist. */
export async function undefinedIfNotFound<T>(reading: Promise<T>): Promise<T | undefined> {
  return await reading.catch((error: unknown) => {
    if (error instanceof AcademyError && error.code === 'not_found') return undefined;
    throw error;
  });
}
