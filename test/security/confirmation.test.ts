import { expect, test } from 'vitest';
import { startFaultServer } from '../reliability/fault-server.ts';
import { at } from '../support/academy.ts';
import { everyCall } from '../support/every-call.ts';
import { codeIn, holderIn, lossesOf } from '../support/guarded.ts';
import { callerTokens, callMessage, type HttpOptions, openSession, post, startHttp } from '../support/http-server.ts';
import { bearer, start } from '../support/sandbox.ts';

/** The server over HTTP, with a recorder of every request between server and academy. */
async function startGuarded(settings: Record<string, string> = {}, options: HttpOptions = {}) {
  const sandbox = await start({ students: 40, orders: 200 });
  const between = await startFaultServer(sandbox.url);
  const commonHeaders = { ACADEMY_PREFLIGHT: 'false', ACADEMY_HTTP_TOKENS: callerTokens.join(','), ...settings };
  const { url } = await startHttp(commonHeaders, { baseUrl: between.url, ...options });
  const reading = /^GET |\/completion-percentage$/;
  const writes = () => between.log.map(({ method, path }) => `${method} ${path}`).filter((each) => !reading.test(each));
  const as = async (token: string) => {
    const authorization = bearer(token);
    const headers = options.stateless ? authorization : await openSession(url, authorization);
    return async (name: string, args: Record<string, unknown> = {}) => {
      const { json } = await post(url, callMessage(2, name, args), headers);
      const { isError = false, content } = json.result as { isError?: boolean; content: { text: string }[] };
      return { isError, text: at(content, 0).text };
    };
  };
  return { sandbox, between, writes, url, as, call: await as(callerTokens[0]) };
}

test('S13: read-only mode lists no writing tool, calls none, and sends only reads', async () => {
  const { call, writes, between, url } = await startGuarded({ ACADEMY_READ_ONLY: 'true' });
  const headers = await openSession(url, bearer(callerTokens[0]));
  const { json } = await post(url, { jsonrpc: '2.0', id: 2, method: 'tools/list' }, headers);
  const { tools } = json.result as { tools: { name: string; annotations: { readOnlyHint: boolean } }[] };
  expect(tools.filter(({ annotations }) => !annotations.readOnlyHint)).toEqual([]);
  const listed = new Set(tools.map(({ name }) => name));
  for (const [name, args] of Object.entries(everyCall)) {
    if (listed.has(name)) await call(name, args);
    else {
      const refused = await post(url, callMessage(3, name, args), headers);
      expect(refused.json.error, name).toMatchObject({ code: -32602 });
    }
  }
  expect(between.log.length).toBeGreaterThan(20);
  expect(writes()).toEqual([]);
});

test('S13: only the named toolsets are offered, and read-only mode wins over them', async () => {
  const { url } = await startGuarded({ ACADEMY_TOOLSETS: 'access', ACADEMY_READ_ONLY: 'true' });
  const headers = await openSession(url, bearer(callerTokens[0]));
  const { json } = await post(url, { jsonrpc: '2.0', id: 2, method: 'tools/list' }, headers);
  expect((json.result as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual(['list_roles']);
});

for (const stateless of [false, true]) {
  test(`S14: after member-written text every write needs consent, ${stateless ? 'for that caller without sessions' : 'in that session'}`, async () => {
    const { call, writes, as } = await startGuarded({ ACADEMY_LOCKDOWN: 'true' }, { stateless });
    expect((await call('create_channel', { name: 'Before' })).isError).toBe(false);
    expect((await call('list_project_posts')).isError).toBe(false);
    const { isError, text } = await call('create_channel', { name: 'After' });
    expect({ isError, text }).toMatchObject({ isError: true, text: expect.stringMatching(/^confirmation_required/) });
    expect(writes()).toHaveLength(1);
    // Other callers have not read the text.
    const other = await as(callerTokens[1]);
    expect((await other('create_channel', { name: 'Other' })).isError).toBe(false);
  });
}

test('S15: a code is valid once, for one call of one caller, and nothing is sent without it', async () => {
  const { call, as, sandbox, writes } = await startGuarded({ ACADEMY_CONFIRM: 'preview' });
  const other = await as(callerTokens[1]);
  const holder = holderIn(sandbox);
  const losses = lossesOf(holder);
  for (const [tool, args] of losses) {
    const before = writes().length;
    const confirm = codeIn((await call(tool, args)).text);
    const wrong: [string, typeof call, Record<string, unknown>][] = [
      ['missing', call, args],
      ['cut', call, { ...args, confirm: confirm.slice(0, -1) }],
      ['made up', call, { ...args, confirm: 'AAAAAAAAAAAAAAAAAAAAAAAA' }],
      ['of another caller', other, { ...args, confirm }],
      ['for other arguments', call, { ...args, email: 'someone.else@example.com', confirm }],
    ];
    for (const [what, who, given] of wrong) expect((await who(tool, given)).isError, `${tool}: ${what}`).toBe(true);
    expect(writes(), tool).toHaveLength(before);
    expect((await call(tool, { ...args, confirm })).isError, tool).toBe(false);
    expect(writes(), tool).toHaveLength(before + 1);
    expect((await call(tool, { ...args, confirm })).isError, `${tool}: again`).toBe(true);
    expect(writes(), tool).toHaveLength(before + 1);
  }
});
