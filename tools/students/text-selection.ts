import { dateOrTime, describedOnce, studentEmail } from '../../src/contract/schemas/input-fields.ts';
import { arrangeTexts, type TextFilters } from '../../src/insights/students/arrange-texts.ts';

/** The filters of lists of what students wrote. The lists themselves have none in the API. */
export const textFilters = {
  email: studentEmail.describe('Only of this student').optional(),
  created_after: describedOnce(dateOrTime('From this ISO 8601 date or time on; UTC')).optional(),
  created_before: describedOnce(dateOrTime('Before it')).optional(),
};

export const arrange = (given: TextFilters) => (all: readonly object[]) => arrangeTexts(all, given);
