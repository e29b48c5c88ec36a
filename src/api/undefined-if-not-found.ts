import { AcademyError } from '../shared/errors.ts';

/** What is read, or undefined where there is no such record. */
export async function undefinedIfNotFound<T>(reading: Promise<T>): Promise<T | undefined> {
  return await reading.catch((error: unknown) => {
    if (error instanceof AcademyError && error.code === 'not_found') return undefined;
    throw error;
  });
}
