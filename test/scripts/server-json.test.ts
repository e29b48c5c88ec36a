import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import * as z from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { serverJsonOf } from '../../scripts/package/server-json.ts';
import serverJson from '../../server.json' with { type: 'json' };
import { settings } from '../../src/config/settings.ts';

// The parts of the MCP registry's schema 2025-12-11 that an npm package needs, written by hand from
// https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json. The strict objects also refuse
// misspelt fields, which the registry would ignore.

/** The registry takes one version, no range. */
const version = z
  .string()
  .max(255)
  .regex(/^\d+\.\d+\.\d+(-[\w.]+)?$/);

const input = z.strictObject({
  name: z.string(),
  description: z.string().optional(),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  default: z.string().optional(),
  placeholder: z.string().optional(),
  choices: z.array(z.string()).optional(),
});

const npmPackage = z.strictObject({
  registryType: z.literal('npm'),
  registryBaseUrl: z.literal('https://registry.npmjs.org'),
  identifier: z.string(),
  version,
  runtimeHint: z.literal('npx'),
  transport: z.strictObject({ type: z.literal('stdio') }),
  environmentVariables: z.array(input),
});

/** An image is named with its tag, and has no version field. */
const image = z.strictObject({
  registryType: z.literal('oci'),
  identifier: z.string().regex(/^ghcr\.io\/[a-z0-9._/-]+:\d+\.\d+\.\d+$/),
  runtimeHint: z.literal('docker'),
  transport: z.strictObject({ type: z.literal('stdio') }),
  packageArguments: z.array(
    z.strictObject({ type: z.literal('named'), name: z.string(), description: z.string(), default: z.string() }),
  ),
  environmentVariables: z.array(input),
});

/** A bundle needs the digest of its file. */
const bundle = z.strictObject({
  registryType: z.literal('mcpb'),
  identifier: z.url({ protocol: /^https$/ }),
  fileSha256: z.string().regex(/^[a-f0-9]{64}$/),
  transport: z.strictObject({ type: z.literal('stdio') }),
});

const server = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version,
  repository: z.strictObject({ url: z.url({ protocol: /^https$/ }), source: z.literal('github') }),
  packages: z.tuple([npmPackage, image]).rest(bundle),
});

test('server.json has the form that the MCP registry takes', () => {
  expect(server.safeParse(serverJson).error).toBeUndefined();
  expect(server.safeParse({ ...serverJson, description: 'x'.repeat(101) }).success).toBe(false);
  expect(server.safeParse({ ...serverJson, version: '^0.1.0' }).success).toBe(false);
});

test('a release adds its bundle to server.json', () => {
  const released = serverJsonOf('0'.repeat(64));
  expect(server.safeParse(released).error).toBeUndefined();
  expect(released.packages).toHaveLength(3);
});

test('the image names the server that the registry knows', async () => {
  const dockerfile = await readFile(new URL('../../Dockerfile', import.meta.url), 'utf8');
  expect(dockerfile).toContain(`io.modelcontextprotocol.server.name="${serverJson.name}"`);
});

test('server.json names this package, its version and its repository', () => {
  const [entry] = serverJson.packages;
  expect(entry).toMatchObject({ identifier: packageJson.name, version: packageJson.version });
  expect(serverJson.version).toBe(packageJson.version);
  expect(packageJson.repository.url).toBe(`git+${serverJson.repository.url}.git`);
  // The registry gives this namespace to those who can sign in as the owner of the repository.
  const [, owner] = new URL(serverJson.repository.url).pathname.split('/');
  expect(serverJson.name).toBe(`io.github.${owner}/${packageJson.name}`);
});

test('server.json asks for settings that exist, and marks the key as the only secret', () => {
  const variables = serverJson.packages.flatMap(({ environmentVariables }) => environmentVariables);
  const known = Object.values(settings).map(({ env }) => env);
  expect(known).toEqual(expect.arrayContaining(variables.map(({ name }) => name)));
  const marked = (mark: 'isSecret' | 'isRequired') => variables.filter((each) => each[mark]).map(({ name }) => name);
  expect(new Set(marked('isSecret'))).toEqual(new Set(['ACADEMY_API_KEY']));
  expect(new Set(marked('isRequired'))).toEqual(new Set(['ACADEMY_BASE_URL', 'ACADEMY_API_KEY']));
});
