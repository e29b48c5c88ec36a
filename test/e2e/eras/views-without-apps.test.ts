import { expect, test } from 'vitest';
import { row, rows } from '../../support/academy.ts';
import { initialize, modernMessage, post, startHttp } from '../../support/http-server.ts';
import { start } from '../../support/sandbox.ts';

// The views cost a client without MCP Apps nothing: it gets what it would get without them, byte for byte, but for the
// name of the extension among the capabilities of the server and `ui` among the `_meta` of four tools.

const extension = 'io.modelcontextprotocol/ui';

/** Requests of a client, and the calls of every tool that has a view. */
const requests: [method: string, params: Record<string, unknown>][] = [
  ['tools/list', {}],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['prompts/list', {}],
  ...Object.entries({
    find_buyers: { period: 'last_month', limit: 3, totals_only: true },
    sales_report: { period: 'last_month', group_by: 'week' },
    get_course_structure: { course_id: 5 },
    plan_course_outline: { course_id: 5, moves: [{ lesson_id: 1074, module_id: 219, position: 4 }] },
  }).map(([name, args]): [string, Record<string, unknown>] => ['tools/call', { name, arguments: args }]),
];

const eras = [
  {
    version: '2025-11-25',
    first: ['initialize', initialize.params] as const,
    send: (url: string, method: string, params: Record<string, unknown>) =>
      post(url, { jsonrpc: '2.0', id: 1, method, params }),
  },
  {
    version: '2026-07-28',
    first: ['server/discover', {}] as const,
    send: (url: string, method: string, params: Record<string, unknown>) => {
      const { message, headers } = modernMessage(method, params);
      return post(url, message, headers);
    },
  },
];

/** Removes the view of each tool. */
const withoutViews = (text: string) =>
  text
    .replaceAll(/,"ui":\{"resourceUri":"ui:[^"]+"\}/g, '')
    .replaceAll(/,"_meta":\{"ui":\{"resourceUri":"ui:[^"]+"\}\}/g, '');

for (const { version, first, send } of eras) {
  test(`a client of ${version} without MCP Apps gets byte for byte what it gets with ACADEMY_UI=off`, async () => {
    const now = new Date('2026-11-20T09:00:00Z');
    const sandbox = await start({ rateLimit: 'off', seed: 7, students: 40, orders: 200, now });
    const options = { stateless: true, baseUrl: sandbox.url, now: () => now };
    const [on, off] = [await startHttp({}, options), await startHttp({ ACADEMY_UI: 'off' }, options)];
    for (const [method, params] of requests) {
      const [shown, plain] = [await send(on.url, method, params), await send(off.url, method, params)];
      expect(shown.status, method).toBe(200);
      expect(withoutViews(shown.text), method).toBe(withoutViews(plain.text));
      expect(plain.text).not.toContain('ui://');
    }
    const [method, params] = first;
    const [shown, plain] = [await send(on.url, method, params), await send(off.url, method, params)];
    const { extensions, ...capabilities } = row(row(shown.json.result).capabilities);
    expect(extensions).toEqual({ [extension]: {} });
    expect({ ...row(shown.json.result), capabilities }).toEqual(plain.json.result);
  });

  test(`the list for a client of ${version} without MCP Apps names the view of four tools`, async () => {
    const { url } = await startHttp({}, { stateless: true });
    const { json } = await send(url, 'tools/list', {});
    const named = rows(row(json.result).tools).filter(({ _meta = {} }) => 'ui' in row(_meta));
    expect(named.map(({ name }) => name)).toEqual([
      'get_course_structure',
      'plan_course_outline',
      'find_buyers',
      'sales_report',
    ]);
  });
}
