import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { freePort } from '../support/listen.ts';
import { start } from '../support/program.ts';
import { start as startSandbox, temporaryFolder } from '../support/sandbox.ts';
import { knownVariables, read } from './deploy-files.ts';

const file = 'deploy/kubernetes.yaml';
const documents = parseAllDocuments(read(file)).map((document) => document.toJS() as Record<string, unknown>);

// The fields that the API of Kubernetes requires, and those that this server needs. A strict object refuses a misspelt one.

const labels = z.record(z.string(), z.string());
const metadata = z.strictObject({ name: z.string(), labels: labels.optional() });
const probe = z.strictObject({
  httpGet: z.strictObject({
    path: z.string(),
    port: z.literal('http'),
    httpHeaders: z.array(z.strictObject({ name: z.string(), value: z.string() })).optional(),
  }),
  periodSeconds: z.int(),
  failureThreshold: z.int(),
});
const containerSecurity = z.strictObject({
  allowPrivilegeEscalation: z.literal(false),
  readOnlyRootFilesystem: z.literal(true),
  capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
});
const container = z.strictObject({
  name: z.string(),
  image: z.string().regex(/^ghcr\.io\/[\w-]+\/academy-mcp:\d+\.\d+\.\d+$/),
  ports: z.tuple([z.strictObject({ name: z.literal('http'), containerPort: z.literal(3000) })]),
  env: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  livenessProbe: probe,
  readinessProbe: probe,
  resources: z.strictObject({ requests: labels, limits: labels }),
  securityContext: containerSecurity,
  volumeMounts: z.array(z.strictObject({ name: z.string(), mountPath: z.string(), readOnly: z.boolean().optional() })),
});
const pod = z.strictObject({
  terminationGracePeriodSeconds: z.int(),
  automountServiceAccountToken: z.literal(false),
  enableServiceLinks: z.literal(false),
  securityContext: z.strictObject({
    runAsNonRoot: z.literal(true),
    runAsUser: z.literal(1000),
    runAsGroup: z.int(),
    fsGroup: z.int(),
    seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
  }),
  containers: z.tuple([container]),
  volumes: z.array(
    z.strictObject({
      name: z.string(),
      secret: z.strictObject({ secretName: z.string(), defaultMode: z.int() }).optional(),
      emptyDir: z.strictObject({}).optional(),
    }),
  ),
});
const manifest = z.tuple([
  z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal('Secret'),
    metadata,
    type: z.literal('Opaque'),
    stringData: labels,
  }),
  z.strictObject({
    apiVersion: z.literal('apps/v1'),
    kind: z.literal('Deployment'),
    metadata,
    spec: z.strictObject({
      replicas: z.int(),
      strategy: z.strictObject({ type: z.enum(['Recreate', 'RollingUpdate']) }),
      selector: z.strictObject({ matchLabels: labels }),
      template: z.strictObject({ metadata: z.strictObject({ labels }), spec: pod }),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal('Service'),
    metadata,
    spec: z.strictObject({
      selector: labels,
      ports: z.tuple([z.strictObject({ name: z.string(), port: z.int(), targetPort: z.literal('http') })]),
    }),
  }),
]);

const [secret, { spec }, service] = manifest.parse(documents);
const { containers, volumes, ...rest } = spec.template.spec;
const [{ env, volumeMounts, livenessProbe, readinessProbe }] = containers;

test('the manifest has every required field, and its parts fit together', () => {
  expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
  expect(service.spec.selector).toEqual(spec.selector.matchLabels);
  expect(volumes.map(({ name }) => name)).toEqual(volumeMounts.map(({ name }) => name));
  expect(volumes[0]?.secret?.secretName).toBe(secret.metadata.name);
  const files = env.flatMap(({ value }) => (value.startsWith('/etc/academy-mcp/') ? [value] : []));
  expect(files).toEqual(Object.keys(secret.stringData).map((key) => `/etc/academy-mcp/${key}`));
  expect(env.filter(({ name }) => !knownVariables.has(name))).toEqual([]);
  expect(rest.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(40);
});

function statusOf(port: number, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.once('error', () => resolve(0));
    asked.end();
  });
}

test('the program starts with the environment of the manifest, and both probes work', async () => {
  const sandbox = await startSandbox({ students: 1, orders: 1 });
  const folder = temporaryFolder();
  const values = { ...secret.stringData, 'api-key': sandbox.apiKey };
  for (const [name, value] of Object.entries(values)) writeFileSync(join(folder, name), value);
  const environment = Object.fromEntries(
    env.map(({ name, value }) => [name, value.replace('/etc/academy-mcp', folder)]),
  );
  const port = await freePort();
  start(['http', '--port', String(port)], { ...environment, ACADEMY_BASE_URL: sandbox.url });
  const ask = ({ httpGet: { path, httpHeaders = [] } }: typeof readinessProbe) =>
    statusOf(port, path, Object.fromEntries(httpHeaders.map(({ name, value }) => [name.toLowerCase(), value])));
  await expect.poll(() => ask(livenessProbe)).toBe(200);
  expect(await ask(readinessProbe)).toBe(200);
});

interface Compose {
  services: { 'academy-mcp': { environment: Record<string, string | null>; secrets: string[] } };
  secrets: Record<string, { file: string }>;
}

test('the program starts with the environment of compose.accounts.yaml, for both academies of the example', async () => {
  const { services, secrets } = parse(read('compose.accounts.yaml')) as Compose;
  const { environment, secrets: mounted } = services['academy-mcp'];
  expect(Object.keys(environment).filter((name) => !knownVariables.has(name))).toEqual([]);
  expect(mounted).toEqual(Object.keys(secrets));
  const folder = join(temporaryFolder(), 'secrets');
  mkdirSync(folder);
  const inSecrets = (path: string) => path.replace('/run/secrets', folder);
  // Names of variables become files, as the first lines of the file say.
  const accounts = read('docs/examples/accounts.json')
    .replaceAll('.example.com', '.academy.test')
    .replace(/"(api_key|token)_env": "(\w+)"/g, (_whole, field: string, name: string) => {
      return `"${field}_file": "/run/secrets/${name.toLowerCase().replaceAll('_', '-')}"`;
    });
  const used = [...accounts.matchAll(/\/run\/secrets\/([\w-]+)/g)].map(([, name = '']) => name);
  expect(['accounts', ...used].toSorted()).toEqual(mounted.toSorted());
  for (const name of used) writeFileSync(join(folder, name), `${name}-0123456789abcdef0123\n`);
  writeFileSync(join(folder, 'accounts'), accounts.replaceAll('/run/secrets', folder));
  const set = Object.entries(environment).flatMap(([name, value]) =>
    value === null ? [] : [[name, inSecrets(value)]],
  );
  const withDefaults = set.map(([name = '', value = '']) => [name, value.replace(/\$\{\w+:-(.*)\}/, '$1')]);
  const { written } = start(['http', '--port', '0'], Object.fromEntries(withDefaults));
  await expect.poll(() => written.stdout + written.stderr).toMatch(/listening on http:\/\/127\.0\.0\.1:\d+/);
});
