import { AcademyError } from '../../../src/shared/errors.ts';

/** The `AcademyError` that a call throws; fails if it throws none. */
export function refusal(call: () => unknown): AcademyError {
  try {
    call();
  } catch (error) {
    if (error instanceof AcademyError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
