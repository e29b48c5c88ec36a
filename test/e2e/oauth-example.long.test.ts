import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { modernCall, post } from '../support/http-server.ts';
import { freePort } from '../support/listen.ts';
import { start } from '../support/program.ts';

const redirectUri = 'http://localhost:8080/callback';

/** The issuer of docs/examples/oauth, installed as its document says. */
async function startIssuer(audience: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'academy-oauth-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const example = fileURLToPath(new URL('../../docs/examples/oauth/', import.meta.url));
  for (const file of ['package.json', 'package-lock.json', 'issuer.mjs'])
    cpSync(join(example, file), join(folder, file));
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'pipe' });
  const port = await freePort();
  const env = { PATH: process.env.PATH, PORT: String(port), AUDIENCE: audience };
  const child = spawn(process.execPath, ['issuer.mjs'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGTERM'));
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => String(chunk).includes('OAuth issuer on') && resolve());
  });
  return `http://127.0.0.1:${port}`;
}

/** A browser that keeps cookies and shows each redirect. */
function createBrowser() {
  const cookies = new Map<string, string>();
  return async (url: string, form?: Record<string, string>): Promise<string> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const body = form && new URLSearchParams(form);
    const sent = { headers: { cookie }, redirect: 'manual' as const, ...(body && { method: 'POST', body }) };
    const response = await fetch(url, sent);
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${response.status} instead of a redirect: ${await response.text()}`);
    return new URL(location, url).href;
  };
}

/** Signs in with the registered client, code and PKCE, as a client of MCP does. */
async function signIn(issuer: string, audience: string, scope: string): Promise<string> {
  const visit = createBrowser();
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const asked = new URLSearchParams({
    client_id: 'academy-assistant',
    response_type: 'code',
    redirect_uri: redirectUri,
    scope,
    resource: audience,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'xyz',
  });
  const login = await visit(`${issuer}/auth?${asked}`);
  const consent = await visit(await visit(login, { prompt: 'login', login: 'anna', password: 'any' }));
  const back = new URL(await visit(await visit(consent, { prompt: 'consent' })));
  expect(`${back.origin}${back.pathname}`).toBe(redirectUri);
  expect(back.searchParams.get('state')).toBe('xyz');
  const exchange = {
    grant_type: 'authorization_code',
    code: back.searchParams.get('code') ?? '',
    redirect_uri: redirectUri,
    client_id: 'academy-assistant',
    code_verifier: verifier,
    resource: audience,
  };
  const answer = await fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(exchange) });
  return String(((await answer.json()) as { access_token?: string }).access_token);
}

test('a person signs in at the issuer of the example, and calls with the token', { timeout: 120_000 }, async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const issuer = await startIssuer(url);
  const flags = ['--port', String(port), '--oauth-issuer', issuer, '--oauth-audience', url];
  const { written } = start(['http', '--sandbox', ...flags]);
  await expect.poll(() => written.stdout, { timeout: 30_000 }).toContain(url);
  const call = async (token: string, name: string, args = {}) => {
    const { message, headers } = modernCall(name, args);
    return await post(url, message, { ...headers, authorization: `Bearer ${token}` });
  };
  expect((await call('none', 'get_account')).status).toBe(401);
  const token = await signIn(issuer, url, 'academy:read');
  const read = await call(token, 'get_account');
  expect(read.json).toMatchObject({ result: { structuredContent: {} } });
  const write = await call(token, 'create_channel', { name: 'Not allowed' });
  expect(write.json).toMatchObject({ result: { isError: true } });
  expect(write.text).toContain('academy:write');
});
