import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeCertificates } from '../support/certificates.ts';
import { callMessage, initialize, jsonHeaders, startHttp } from '../support/http-server.ts';
import { freePort } from '../support/listen.ts';
import type { RawAnswer } from '../support/raw-request.ts';
import { temporaryFolder } from '../support/sandbox.ts';
import { has, knownVariables, read, variablesIn } from './deploy-files.ts';
import { siteOfCompose, siteWithReplicas, startNginx, untilTestEnds, withReplaced } from './start-nginx.ts';

const name = 'mcp.example.com';

type Certificates = ReturnType<typeof makeCertificates>;

/** A proxy in front of the server on port `upstream`, as the file in deploy/ sets it up, but on a free port. */
interface Proxy {
  start(certificates: Certificates, upstream: number, port: number, errorLog?: string): void;
}

const nginx: Proxy = {
  start: ({ certificateFile, keyFile }, upstream, port, errorLog) => {
    const site = withReplaced(read('deploy/nginx.conf'), [
      [/127\.0\.0\.1:3000/, `127.0.0.1:${upstream}`],
      [/listen 443 /, `listen 127.0.0.1:${port} `],
      [/\/etc\/ssl\/certs\/mcp\.example\.com\.pem/, certificateFile],
      [/\/etc\/ssl\/private\/mcp\.example\.com\.key/, keyFile],
    ]);
    startNginx(site, errorLog);
  },
};

const caddy: Proxy = {
  start: ({ certificateFile, keyFile }, upstream, port) => {
    const folder = temporaryFolder();
    const site = withReplaced(read('deploy/Caddyfile'), [
      [/127\.0\.0\.1:3000/, `127.0.0.1:${upstream}`],
      [/^mcp\.example\.com \{$/m, `${name}:${port} {\n\tbind 127.0.0.1\n\ttls ${certificateFile} ${keyFile}`],
    ]);
    const file = join(folder, 'Caddyfile');
    writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${site}`);
    const env = { PATH: process.env.PATH, HOME: folder };
    untilTestEnds(spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], { env, stdio: 'ignore' }));
  },
};

/** A request of a client that knows the proxy by its name. */
function ask(
  { authority }: Certificates,
  port: number,
  path: string,
  {
    body,
    headers = {},
    onData,
  }: { body?: object; headers?: Record<string, string>; onData?: (text: string) => void } = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const asked = request({
      host: '127.0.0.1',
      port,
      path,
      method: body === undefined ? 'GET' : 'POST',
      servername: name,
      ca: readFileSync(authority),
      headers: { ...jsonHeaders, host: name, ...headers },
      agent: false,
    });
    onTestFinished(() => void asked.destroy());
    asked.once('error', reject);
    asked.once('response', (response) => {
      let text = '';
      response.once('error', reject);
      response.on('data', (chunk: Buffer) => {
        text += chunk;
        onData?.(text);
      });
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    asked.end(body && JSON.stringify(body));
  });
}

const proxies = [
  ['nginx', nginx],
  ['caddy', caddy],
] as const;

test.each(['deploy/nginx.conf', 'deploy/replicas.nginx.conf', 'deploy/Caddyfile'])(
  '%s knows no variable that the program does not know',
  (file) => {
    expect(variablesIn(read(file)).filter((each) => !knownVariables.has(each))).toEqual([]);
  },
);

for (const [program, proxy] of proxies) {
  test.skipIf(!has(program))(`a conversation with streams passes ${program}`, async () => {
    const certificates = makeCertificates([name]);
    const token = 'first-token-0123456789abcdef';
    const server = await startHttp({ ACADEMY_HTTP_TOKENS: token, ACADEMY_HTTP_ALLOWED_HOSTS: name });
    const port = await freePort();
    proxy.start(certificates, server.port, port);
    const statusOf = async (path: string) => {
      try {
        return (await ask(certificates, port, path)).status;
      } catch {
        return undefined;
      }
    };
    await expect.poll(() => statusOf('/readyz')).toBe(200);
    expect(await statusOf('/metrics')).toBe(404);
    expect(await statusOf('/mcp')).toBe(401);
    const card = JSON.parse((await ask(certificates, port, '/mcp/server-card')).text);
    expect(card.remotes[0].url).toBe(`https://${name}/mcp`);

    const authorization = `Bearer ${token}`;
    const opened = await ask(certificates, port, '/mcp', { body: initialize, headers: { authorization } });
    expect(opened.status).toBe(200);
    const session = { authorization, 'mcp-session-id': String(opened.headers['mcp-session-id']) };
    // The first event arrives while the stream is open: nothing keeps it back.
    let seen = '';
    const onData = (text: string) => {
      seen = text;
    };
    const stream = ask(certificates, port, '/mcp', { headers: { ...session, accept: 'text/event-stream' }, onData });
    stream.catch(() => {});
    await expect.poll(() => seen).toMatch(/^:/);
    const called = await ask(certificates, port, '/mcp', { body: callMessage(2, 'get_account'), headers: session });
    expect(called.status).toBe(200);
    expect(called.text).toContain('structuredContent');
    const tooLong = { body: { text: 'x'.repeat(1_200_000) }, headers: session };
    const refused = await ask(certificates, port, '/mcp', tooLong);
    expect(refused.status).toBe(413);
    expect(JSON.parse(refused.text)).toMatchObject({ error: { message: expect.stringContaining('1048576 bytes') } });
  });
}

test.skipIf(!has('nginx'))(
  'nginx writes no secret of a webhook into a log, also while the server is down',
  async () => {
    const certificates = makeCertificates([name]);
    const [port, closed] = [await freePort(), await freePort()];
    const errorLog = join(temporaryFolder(), 'error.log');
    nginx.start(certificates, closed, port, errorLog);
    const post = (path: string) => ask(certificates, port, path, { body: { id: 1 } });
    const secret = 'webhook-secret-0123456789';
    await expect
      .poll(
        () =>
          post('/mcp').then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: 10_000 },
      )
      .toBe(502);
    for (const path of [
      `/webhooks/main/new_order/${secret}`,
      `/webhooks/main/new_order/${secret}?x=1`,
      `//webhooks/./main/x/${secret}`,
    ])
      expect((await post(path)).status).toBe(502);
    const tooLong = { body: { text: 'x'.repeat(3_000_000) } };
    expect((await ask(certificates, port, `/webhooks/main/new_order/${secret}`, tooLong)).status).toBe(413);
    const log = readFileSync(errorLog, 'utf8');
    // The log works: the other requests are in it.
    expect(log).toContain('/mcp');
    expect(log).not.toContain(secret);
  },
);

/** A server that reads a request, counts it, and cuts the connection without an answer, as one that dies at work does. */
async function startCutter() {
  const received: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (chunk: Buffer) => {
      received.push(String(chunk).split(' ', 1)[0] ?? '');
      socket.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, received };
}

const sites = [
  ['nginx.conf', siteWithReplicas],
  ['replicas.nginx.conf', siteOfCompose],
] as const;

test.skipIf(!has('nginx')).each(sites)('with %s, nginx sends a write to one replica only', async (_file, siteOf) => {
  const [first, second] = [await startCutter(), await startCutter()];
  const port = await freePort();
  startNginx(siteOf([first.port, second.port], port));
  const post = async () => (await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', body: '{}' })).status;
  await expect.poll(() => post().catch(() => 0)).toBe(502);
  const before = first.received.length + second.received.length;
  for (let sent = 0; sent < 10; sent += 1) expect(await post()).toBe(502);
  expect(first.received.length + second.received.length).toBe(before + 10);
  expect([...first.received, ...second.received].every((method) => method === 'POST')).toBe(true);
  expect(Math.min(first.received.length, second.received.length)).toBeGreaterThan(4);
});

test.skipIf(!has('caddy'))('the Caddyfile is valid as it is', () => {
  const home = { PATH: process.env.PATH, HOME: temporaryFolder() };
  const file = new URL('../../deploy/Caddyfile', import.meta.url).pathname;
  execFileSync('caddy', ['validate', '--config', file, '--adapter', 'caddyfile'], { stdio: 'pipe', env: home });
});
