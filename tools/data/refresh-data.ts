import * as z from 'zod';
import { dateOrTime } from '../../src/contract/schemas/input-fields.ts';
import { resolvePeriod } from '../../src/insights/period.ts';
import { type Refreshable, refreshable } from '../../src/mcp/data-mirror.ts';
import { defineTool } from '../../src/mcp/tool.ts';
import { lastWrite } from '../../src/mcp/workflow-stores.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';
import { coverageFacts, coverageLine, mirrorOf } from './mirror-answer.ts';

/** The tables of lists whose name is another: how fresh those of others are says nothing of a refresh. */
const tablesOf: Readonly<Partial<Record<Refreshable, readonly string[]>>> = {
  orders: ['orders', 'order_items'],
  catalog: ['products', 'courses', 'bundles'],
  structures: ['modules', 'lessons'],
};

export const refreshData = defineTool({
  name: 'refresh_data',
  toolset: 'data',
  title: 'Refresh data',
  description:
    'Reads newer data into the copy of the academy that query_data asks (brings it up to date), and compares it with the API. It is refreshed in the background: call this only if the times of an answer are too old. Without arguments: new orders. Returns after at most a minute; call again to go on.',
  cost: { 'per page': 1 },
  example: { what: 'orders' },
  effect: 'read',
  carriesUserContent: false,
  input: z.strictObject({
    what: z.enum(refreshable).describe('default orders; structures: modules and lessons').optional(),
    since: dateOrTime('Orders only: read all orders since this date or time again').optional(),
  }),
  output: z.looseObject({
    finished: z.boolean().optional(),
    stopped: z.string().optional(),
    coverage: z.looseObject({ complete: z.boolean() }).optional(),
  }),
  run: async ({ what = 'orders', since }, context) => {
    if (since !== undefined && what !== 'orders') throw refuseInput(['since applies to orders only']);
    const mirror = mirrorOf(context);
    const bounds = { created_after: since, timezone: context.timezone };
    const from = since === undefined ? undefined : (await resolvePeriod(bounds, context.now())).from;
    const early = await mirror.refresh({ what, since: from }, context);
    // The next question must not be answered by what was read before, either.
    context.stores.of(lastWrite).at = context.now().getTime();
    const coverage = coverageFacts(await mirror.coverage(), tablesOf[what] ?? [what]);
    const missing = coverage.complete ? undefined : (coverage.problems?.[0] ?? 'not everything was read yet');
    const stopped = early ?? missing;
    const finished = stopped === undefined;
    return {
      summary: `${finished ? 'Refreshed' : `Not finished: ${stopped}`}. ${coverageLine(coverage)}`,
      data: { finished, ...(finished ? {} : { stopped }), coverage },
      body: () => [],
    };
  },
});
