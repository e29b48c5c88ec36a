import { AcademyError } from '../../../src/shared/errors.ts';

/** The error that a call throws; fails where it throws none of ours. */
export function refusal(call: () => unknown): AcademyError {
  try {
    call();
  } catch (error) {
    if (error instanceof AcademyError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
