import { createServer, request as httpRequest } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { makeCertificates } from '../../support/certificates.ts';
import { callMessage, openSession, post } from '../../support/http-server.ts';
import { listen } from '../../support/listen.ts';
import { startHttpProgram } from '../../support/program.ts';
import { keycloak, startProvider } from '../../support/provider-tokens.ts';
import { start as startSandbox } from '../../support/sandbox.ts';

const audience = 'https://mcp.example.com/mcp';

/** The built program over HTTP, and how to call a tool of it. */
async function startProgram(flags: readonly string[], environment: Record<string, string>) {
  const { url, ...program } = await startHttpProgram({ flags, environment: { LOG_LEVEL: 'info', ...environment } });
  const call = async (name: string, args: Record<string, unknown> = {}, headers: Record<string, string> = {}) => {
    const session = await openSession(url, headers);
    const { json } = await post(url, callMessage(2, name, args), session);
    const { isError = false, content } = json.result as { isError?: boolean; content: { text: string }[] };
    return { isError, text: content[0]?.text ?? '' };
  };
  return { ...program, call };
}

/** An academy and an identity provider of a private network: reached through a proxy, with certificates of a private CA. */
async function startPrivateNetwork(refuseWith?: number) {
  const certificates = makeCertificates(['academy.test', 'login.test']);
  const sandbox = await startSandbox({ rateLimit: 'off', students: 10, orders: 20 });
  const ports = { 'academy.test:443': await startTlsFront(certificates, sandbox.url) };
  const proxy = await startConnectProxy(ports, refuseWith);
  const environment = {
    ACADEMY_BASE_URL: 'https://academy.test',
    ACADEMY_API_KEY: sandbox.apiKey,
    ACADEMY_RATE_LIMIT: '300',
    HTTPS_PROXY: proxy.url,
    NODE_EXTRA_CA_CERTS: certificates.authority,
  };
  return { certificates, sandbox, proxy, ports, environment };
}

test('requests to the API go through HTTPS_PROXY, and a private CA is accepted', async () => {
  const { proxy, environment, sandbox } = await startPrivateNetwork();
  const withPassword = { ...environment, HTTPS_PROXY: proxy.url.replace('//', '//agency:s3cret@') };
  const { call, log } = await startProgram([], withPassword);
  expect(await call('get_account')).toMatchObject({ isError: false });
  const before = sandbox.academy.community.channels.all().length;
  expect(await call('create_channel', { name: 'Night school' })).toMatchObject({ isError: false });
  expect(sandbox.academy.community.channels.all()).toHaveLength(before + 1);
  expect(new Set(proxy.tunnels)).toEqual(new Set(['academy.test:443']));
  expect(proxy.requests).toEqual([]);
  expect(new Set(proxy.authorizations)).toEqual(new Set([`Basic ${btoa('agency:s3cret')}`]));
  expect(log()).not.toContain('s3cret');
});

test('without the private CA nothing is sent, and the error names the certificate', async () => {
  const { environment, sandbox } = await startPrivateNetwork();
  const { call } = await startProgram([], { ...environment, NODE_EXTRA_CA_CERTS: '' });
  const { isError, text } = await call('create_channel', { name: 'Night school' });
  expect(isError).toBe(true);
  expect(text).toMatch(/certificate|UNABLE_TO_VERIFY/i);
  expect(text).toContain('not_applied');
  expect(sandbox.academy.community.channels.all().map(({ name }) => name)).not.toContain('Night school');
});

test('a host of NO_PROXY is not asked for at the proxy', async () => {
  const { proxy, environment } = await startPrivateNetwork();
  const { call } = await startProgram([], { ...environment, NO_PROXY: 'example.com,.test' });
  const { isError, text } = await call('get_account');
  expect(isError).toBe(true);
  expect(text).toMatch(/^api_unavailable: /);
  expect(proxy.tunnels).toEqual([]);
});

test('a proxy that refuses is named, and a write that it refused was not applied', async () => {
  const { proxy, environment } = await startPrivateNetwork(407);
  const { call } = await startProgram([], { ...environment, ACADEMY_PREFLIGHT: 'false' });
  const { text } = await call('create_channel', { name: 'Night school' });
  expect(text).toMatch(/^api_unavailable: .*the proxy answered 407/);
  expect(text).toContain('Outcome: not_applied');
  expect(proxy.tunnels).toHaveLength(1);
});

test('an invalid proxy address is named, and the program still ends', async () => {
  const { environment } = await startPrivateNetwork();
  const { call, end } = await startProgram([], { ...environment, HTTPS_PROXY: 'proxy.example.com:3128' });
  expect((await call('get_account')).text).toMatch(/^api_unavailable: .*HTTPS_PROXY is not the URL of a proxy/);
  expect(await end()).toMatchObject({ code: 0 });
});

test('metadata and keys of the OAuth issuer come through the proxy, with a private CA', async () => {
  const { certificates, proxy, ports, environment } = await startPrivateNetwork();
  const provider = await startProvider(keycloak, 0, 'https://login.test');
  Object.assign(ports, { 'login.test:443': await startTlsFront(certificates, provider.origin) });
  const { call, log } = await startProgram([], {
    ...environment,
    ACADEMY_OAUTH_ISSUER: provider.issuer,
    ACADEMY_OAUTH_AUDIENCE: audience,
  });
  await expect.poll(log).toContain('the OAuth issuer answers');
  const authorization = `Bearer ${await provider.issue(audience)}`;
  expect(await call('get_account', {}, { authorization })).toMatchObject({ isError: false });
  expect(new Set(proxy.tunnels)).toEqual(new Set(['login.test:443', 'academy.test:443']));
});

test('the embedded academy and an issuer on this machine are never asked for at the proxy', async () => {
  const proxy = await startConnectProxy({});
  const provider = await startProvider(keycloak);
  const names = ['HTTPS_PROXY', 'HTTP_PROXY', 'https_proxy', 'http_proxy'];
  const { call, log } = await startProgram(['--sandbox'], {
    ...Object.fromEntries(names.map((name) => [name, proxy.url])),
    ACADEMY_OAUTH_ISSUER: provider.issuer,
    ACADEMY_OAUTH_AUDIENCE: audience,
  });
  await expect.poll(log).toContain('the OAuth issuer answers');
  const authorization = `Bearer ${await provider.issue(audience)}`;
  expect(await call('get_account', {}, { authorization })).toMatchObject({ isError: false });
  expect({ tunnels: proxy.tunnels, requests: proxy.requests }).toEqual({ tunnels: [], requests: [] });
});

/** A server with TLS that passes each request on to the server at `target`, on the same path. */
async function startTlsFront(identity: { key: Buffer; cert: Buffer }, target: string): Promise<number> {
  const server = createTlsServer(identity, (request, response) => {
    const { method, headers, url = '/' } = request;
    const onward = httpRequest(new URL(url, target), { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.once('error', () => response.destroy());
    request.pipe(onward);
  });
  return (await listen(server)).port;
}

/** A forward proxy (CONNECT) that knows where the named hosts are. `refuseWith` makes it refuse every tunnel. */
async function startConnectProxy(ports: Readonly<Record<string, number>>, refuseWith?: number) {
  const tunnels: string[] = [];
  const requests: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.writeHead(502).end();
  });
  server.on('connect', (request, socket) => {
    tunnels.push(request.url ?? '');
    authorizations.push(request.headers['proxy-authorization']);
    socket.on('error', () => {});
    const port = ports[request.url ?? ''];
    if (refuseWith !== undefined || port === undefined)
      return void socket.end(`HTTP/1.1 ${refuseWith ?? 502} No\r\n\r\n`);
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket);
      socket.pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  });
  return { url: (await listen(server)).url, tunnels, requests, authorizations };
}
