import { getBundle } from '../../contract/bundles.ts';
import { getCourse } from '../../contract/courses.ts';
import type { Grant } from '../../insights/enrollment/plan.ts';
import type { Titles, ToolContext } from '../../mcp/tool.ts';
import { retryWhenLimited } from '../retry-when-limited.ts';
import { reportWaits } from './student-lookup.ts';

/** Reads the titles of a grant for `total` students. Throws `not_found` once, instead of a failure for each student. */
export async function readGrantTitles(
  { course_id, bundle_id }: Grant,
  total: number,
  context: ToolContext,
): Promise<Titles> {
  const { api } = context;
  const retryTerms = reportWaits(context, () => 0, total);
  const read = <Found>(id: number | undefined, run: (known: number) => Promise<Found>) =>
    id === undefined ? undefined : retryWhenLimited(() => run(id), retryTerms);
  const [course, bundle] = await Promise.all([
    read(course_id, (known) => api.call(getCourse, { course_id: known })),
    read(bundle_id, (known) => api.call(getBundle, { bundle_id: known })),
  ]);
  return {
    ...(course?.title === undefined ? {} : { course_id: course.title }),
    ...(bundle?.title === undefined ? {} : { bundle_id: bundle.title }),
  };
}
