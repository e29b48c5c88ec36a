import { expect, test } from 'vitest';
import * as z from 'zod';
import { supportedVersions } from '../../../src/protocol/message.ts';
import { version } from '../../../src/version.ts';
import { initialize, modernMessage, post, startHttp } from '../../support/http-server.ts';
import { rawRequest } from '../../support/raw-request.ts';

const cardPath = '/mcp/server-card';
const catalogPaths = ['/.well-known/ai-catalog.json', '/.well-known/mcp/catalog.json'];
const cardType = 'application/mcp-server-card+json';

const text = (maxLength: number) => z.string().min(1).max(maxLength);

const variable = z.strictObject({
  description: z.string().optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
});

/** Written by hand from SEP-2127 (`ServerCard`), and stricter: only fields that we mean to send. */
const serverCard = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'),
  name: text(200).regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  version: text(255).regex(/^\d+\.\d+\.\d+$/),
  title: text(100),
  description: text(100),
  remotes: z.tuple([
    z.strictObject({
      type: z.literal('streamable-http'),
      url: z.string().regex(/^https?:\/\/\S+$/),
      supportedProtocolVersions: z.array(z.iso.date()),
      headers: z
        .array(
          z.strictObject({
            name: z.string(),
            description: z.string(),
            value: z.string(),
            isRequired: z.boolean(),
            isSecret: z.boolean(),
            variables: z.record(z.string(), variable),
          }),
        )
        .optional(),
    }),
  ]),
});

/** The AI Catalog specification, and SEP-2127 for the entry of a server card. */
const catalog = z.strictObject({
  specVersion: z.literal('1.0'),
  entries: z.tuple([
    z.strictObject({
      identifier: z.string().regex(/^urn:air:[a-zA-Z0-9.-]+:mcp:[a-zA-Z0-9._-]+$/),
      type: z.literal(cardType),
      url: z.url(),
    }),
  ]),
});

const token = 'first-token-0123456789abcdef';

async function cardAt(origin: string, headers: readonly (readonly [string, string])[]) {
  const answer = await rawRequest(origin + cardPath, 'GET', headers);
  expect(answer.status).toBe(200);
  return serverCard.parse(JSON.parse(answer.text));
}

test('the server card says where the server is and how to authenticate, without a token', async () => {
  const { origin, url, app } = await startHttp({ ACADEMY_HTTP_TOKENS: token });
  const response = await fetch(origin + cardPath, { headers: { accept: cardType } });
  expect(response.headers.get('content-type')).toBe(cardType);
  const body = await response.text();
  const card = serverCard.parse(JSON.parse(body));
  expect(card).toMatchObject({ name: '127.0.0.1/academy-mcp', version, title: 'academy-mcp' });
  expect(card.remotes[0]).toMatchObject({ url, headers: [{ name: 'Authorization', value: 'Bearer {token}' }] });
  for (const { name } of app.tools) expect(body).not.toContain(name);
  expect(body).not.toContain(token);
});

test('the server card needs no header if the server needs no token', async () => {
  const { origin } = await startHttp();
  expect((await cardAt(origin, [['host', new URL(origin).host]])).remotes[0].headers).toBeUndefined();
});

test('behind a proxy, the card and the catalog have the address that clients use', async () => {
  const { origin } = await startHttp({ ACADEMY_HTTP_ALLOWED_HOSTS: 'mcp.example.com,10.0.0.5:3000' });
  const proxied = [
    ['host', 'mcp.example.com'],
    ['x-forwarded-proto', 'https'],
  ] as const;
  const card = await cardAt(origin, proxied);
  expect(card.name).toBe('com.example.mcp/academy-mcp');
  expect(card.remotes[0].url).toBe('https://mcp.example.com/mcp');
  const direct = await cardAt(origin, [['host', '10.0.0.5:3000']]);
  expect(direct).toMatchObject({ name: '10.0.0.5/academy-mcp', remotes: [{ url: 'http://10.0.0.5:3000/mcp' }] });
  for (const path of catalogPaths) {
    const { text: body } = await rawRequest(origin + path, 'GET', proxied);
    expect(catalog.parse(JSON.parse(body)).entries[0]).toEqual({
      identifier: 'urn:air:mcp.example.com:mcp:academy-mcp',
      type: cardType,
      url: 'https://mcp.example.com/mcp/server-card',
    });
  }
  expect((await rawRequest(origin + cardPath, 'GET', [['host', 'evil.com']])).status).toBe(403);
});

test('with OAuth, the address is that of the audience', async () => {
  const issuer = { ACADEMY_OAUTH_ISSUER: 'http://127.0.0.1:9' };
  const cases: [audience: string, address: string][] = [
    ['https://mcp.example.com/mcp', 'https://mcp.example.com/mcp'],
    ['https://example.com/academy/mcp', 'https://example.com/academy/mcp'],
    ['https://mcp.example.com', 'https://mcp.example.com/mcp'],
  ];
  for (const [audience, address] of cases) {
    const { origin } = await startHttp({ ...issuer, ACADEMY_OAUTH_AUDIENCE: audience });
    const [remote] = (await cardAt(origin, [['host', new URL(origin).host]])).remotes;
    expect(remote).toMatchObject({ url: address });
    expect(remote.headers).toBeUndefined();
  }
});

test('pages of any origin can read the card and the catalog, and nothing else', async () => {
  const { origin } = await startHttp();
  const foreign = { origin: 'https://directory.example' };
  const types = { [cardPath]: cardType, [catalogPaths[0] ?? '']: 'application/ai-catalog+json' };
  for (const path of [cardPath, ...catalogPaths]) {
    const response = await fetch(origin + path, { headers: foreign });
    expect(response.status, path).toBe(200);
    expect(response.headers.get('content-type'), path).toBe(types[path] ?? 'application/json');
    expect(response.headers.get('cache-control'), path).toBe('public, max-age=3600');
    expect(response.headers.get('access-control-allow-origin'), path).toBe('*');
    expect(response.headers.get('access-control-expose-headers'), path).toBe('ETag');
    const preflight = await fetch(origin + path, { method: 'OPTIONS', headers: foreign });
    expect(preflight.status, path).toBe(204);
    expect(preflight.headers.get('access-control-allow-methods'), path).toBe('GET');
    expect(preflight.headers.get('access-control-allow-headers'), path).toBe('Content-Type, If-None-Match');
    expect((await fetch(origin + path, { method: 'POST', headers: foreign })).status, path).toBe(403);
  }
  expect((await fetch(`${origin}/readyz`, { headers: foreign })).status).toBe(403);
});

test('the versions of the card are the versions that the server speaks', async () => {
  const { url } = await startHttp();
  const [modern, ...legacy] = supportedVersions;
  for (const protocolVersion of legacy) {
    const params = { ...initialize.params, protocolVersion };
    const { json } = await post(url, { ...initialize, params });
    expect(json).toMatchObject({ result: { protocolVersion } });
  }
  const { message, headers } = modernMessage('server/discover', {});
  const { json } = await post(url, message, headers);
  expect(json).toMatchObject({ result: { supportedVersions: [modern] } });
});
