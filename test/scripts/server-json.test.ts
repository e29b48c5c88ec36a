import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import serverJson from '../../server.json' with { type: 'json' };
import { settings } from '../../src/config/settings.ts';
import { registryEntry } from './registry-schema.ts';

test('server.json has the form that the MCP registry takes', () => {
  expect(registryEntry.safeParse(serverJson).error).toBeUndefined();
  expect(registryEntry.safeParse({ ...serverJson, description: 'x'.repeat(101) }).success).toBe(false);
  expect(registryEntry.safeParse({ ...serverJson, version: '^0.1.0' }).success).toBe(false);
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
