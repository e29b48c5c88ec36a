import { expect, test } from 'vitest';
import { at, row } from '../support/academy.ts';
import { connectToApi, startAcademy } from '../support/connect.ts';
import { openSession, post, startHttp } from '../support/http-server.ts';
import { startIdentityProvider } from '../support/identity-provider.ts';
import { startRecorder } from '../support/recorder.ts';

const readMessage = (uri: string) => ({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } });

/** The same request as a client of 2026-07-28 sends it. */
function modernly({
  params,
  ...message
}: ReturnType<typeof readMessage>): [body: object, headers: Record<string, string>] {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': message.method, 'mcp-name': params.uri };
  return [{ ...message, params: { ...params, _meta } }, headers];
}

/** What either era answers to the reading of an address. */
async function startReading(settings: Record<string, string> = {}, baseUrl?: string) {
  const { url } = await startHttp(settings, baseUrl === undefined ? {} : { baseUrl });
  const session = await openSession(url);
  return async (uri: string) => {
    const legacy = await post(url, readMessage(uri), session);
    const modern = await post(url, ...modernly(readMessage(uri)));
    return { legacy: row(legacy.json.error), modern: row(modern.json.error), text: legacy.text + modern.text };
  };
}

test('a missing resource is an error with the code of each protocol version', async () => {
  const read = await startReading();
  const unknown = [
    'academy://nowhere',
    'academy://courses/1',
    'academy://courses/1/structure/',
    'academy://courses/%E0%A4/structure',
    'academy://account?x=1',
    'https://example.com',
    '',
  ];
  for (const uri of unknown) {
    const { legacy, modern } = await read(uri);
    expect(legacy, uri).toMatchObject({ code: -32002, data: { uri } });
    expect(modern, uri).toMatchObject({ code: -32602, data: { uri } });
    expect(modern.message, uri).toBe(legacy.message);
  }
});

test("a missing record is the same error, with the tool's message", async () => {
  const read = await startReading();
  const uri = 'academy://products/course/no-such-slug';
  const { legacy, modern } = await read(uri);
  expect(legacy).toMatchObject({ code: -32002, data: { uri }, message: expect.stringMatching(/^not_found: /) });
  expect(modern).toMatchObject({ code: -32602, data: { uri }, message: expect.stringMatching(/^not_found: /) });
});

test("variables are decoded and validated by the tool's schema, and nothing is sent for invalid ones", async () => {
  const recorder = await startRecorder({ body: {} });
  const read = await startReading({}, recorder.url);
  const wrong: [uri: string, argument: string][] = [
    ['academy://courses/one/structure', 'course_id'],
    ['academy://courses//structure', 'course_id'],
    ['academy://products/podcast/1', 'product_type'],
    ['academy://products/course/a%2Fb', 'id_or_slug'],
    ['academy://products/course/%2E%2E', 'id_or_slug'],
    ['academy://channels/a%00b', 'id_or_slug'],
    ['academy://courses/{course_id}/structure', 'course_id'],
  ];
  for (const [uri, argument] of wrong) {
    const { legacy, modern } = await read(uri);
    expect(legacy.code, uri).toBe(-32602);
    expect(modern.code, uri).toBe(-32602);
    expect(legacy.message, uri).toContain(`invalid_input: ${argument}`);
    expect([legacy.data, modern.data], uri).toEqual([undefined, undefined]);
  }
  expect(recorder.requests).toEqual([]);
});

test('an encoded slug is decoded', async () => {
  const { client, requests } = await connectToApi({ body: { id: 1, name: 'General', slug: 'größe' } });
  await client.readResource({ uri: 'academy://channels/gr%C3%B6%C3%9Fe' });
  expect(at(requests, 0).path).toBe('/api/v1/community/channels/gr%C3%B6%C3%9Fe');
});

test('an API failure is an internal error that names its cause, without a stack', async () => {
  const recorder = await startRecorder({ status: 401, body: { error: 'bad key' } });
  const read = await startReading({}, recorder.url);
  const { legacy, modern, text } = await read('academy://account');
  expect([legacy.code, modern.code]).toEqual([-32603, -32603]);
  expect(legacy.message).toMatch(/^unauthorized: /);
  expect(modern.message).toBe(legacy.message);
  expect(text).not.toMatch(/\.ts:|\.js:|node_modules/);
});

test('text that people wrote is fenced, as in the answer of the tool', async () => {
  const { client } = await startAcademy();
  const { contents } = await client.readResource({ uri: 'academy://products/course/1' });
  expect(row(at(contents, 0)).text).toMatch(/<academy-text-(\w+)>[\s\S]+<\/academy-text-\1>/);
});

test("the program's secrets are redacted", async () => {
  const { client } = await connectToApi({ body: { account: { name: 'sandbox-admin-key' } } });
  const { contents } = await client.readResource({ uri: 'academy://account' });
  expect(row(at(contents, 0)).text).toContain('name=[hidden]');
});

test('a resource is listed only with the toolset of its tool', async () => {
  const { client } = await startAcademy({}, { ACADEMY_TOOLSETS: 'courses,orders' });
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resources.map(({ uri }) => uri)).toEqual(['academy://courses']);
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['academy://courses/{course_id}/structure']);
  await expect(client.readResource({ uri: 'academy://account' })).rejects.toMatchObject({ code: -32002 });
});

test('read-only mode keeps every resource', async () => {
  const { client } = await startAcademy({}, { ACADEMY_READ_ONLY: 'true' });
  expect((await client.listResources()).resources).toHaveLength(2);
  expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(3);
});

test('a server without resources and prompts declares none', async () => {
  const { client } = await startAcademy({}, { ACADEMY_TOOLSETS: 'students' });
  expect(Object.keys(client.getServerCapabilities() ?? {}).sort()).toEqual(['logging', 'tools']);
  const account = await startAcademy({}, { ACADEMY_TOOLSETS: 'account' });
  expect(Object.keys(account.client.getServerCapabilities() ?? {}).sort()).toEqual(['logging', 'resources', 'tools']);
});

test('a caller without read access sees no resources', async () => {
  const provider = await startIdentityProvider();
  const audience = 'https://mcp.example.com/mcp';
  const settings = { ACADEMY_OAUTH_ISSUER: provider.issuer, ACADEMY_OAUTH_AUDIENCE: audience };
  const { url } = await startHttp(settings, { stateless: true });
  const as = async (scope: string) => ({ authorization: `Bearer ${await provider.issue({ aud: audience, scope })}` });
  const read = readMessage('academy://account');
  const refused = await post(url, read, await as('academy:write academy:access'));
  expect(refused.json).toMatchObject({ error: { code: -32601 } });
  const answered = await post(url, read, await as('academy:read'));
  expect(answered.json).toHaveProperty('result.contents');
});

test('the whole list of courses is shown if it is not too long', async () => {
  const courses = Array.from({ length: 120 }, (_, index) => ({ id: index + 1, title: `Course ${index + 1}` }));
  const { client } = await connectToApi({ body: { courses } });
  const { contents } = await client.readResource({ uri: 'academy://courses' });
  expect(row(at(contents, 0)).text).toMatch(/^120 published courses\.\n[\s\S]*\n120 \| Course 120$/);
});
