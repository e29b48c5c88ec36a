import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { start } from '../support/program.ts';
import { start as startSandbox, temporaryFolder } from '../support/sandbox.ts';
import { knownVariables, read, root, variablesIn } from './deploy-files.ts';

interface Instruction {
  readonly name: string;
  readonly value: string;
}

/** Instructions of a Dockerfile, with continued lines joined. */
function instructionsOf(text: string): Instruction[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const [, name = '', value = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
      return { name, value };
    });
}

const dockerfile = instructionsOf(read('Dockerfile'));

/** The instructions of each stage. */
const stages = dockerfile.reduce<Instruction[][]>((found, each) => {
  if (each.name === 'FROM') found.push([]);
  found.at(-1)?.push(each);
  return found;
}, []);

const valuesOf = (stage: readonly Instruction[] | undefined, wanted: string) =>
  (stage ?? []).filter(({ name }) => name === wanted).map(({ value }) => value);

const [build, image] = stages;

/** What a stage copies from this repository, by the folder that it copies to. */
const copied = [build, image].map((stage) =>
  valuesOf(stage, 'COPY')
    .filter((value) => !value.startsWith('--from='))
    .map((value) => value.split(' '))
    .map((words) => ({ sources: words.slice(0, -1), target: words.at(-1) ?? '' })),
);

function execForm(wanted: string): string[] {
  const [value = ''] = valuesOf(image, wanted);
  return JSON.parse(value.slice(value.indexOf('['))) as string[];
}

test('the Dockerfile has two stages, and its image runs as a user without rights, with a health check', () => {
  const names = [
    'FROM',
    'WORKDIR',
    'COPY',
    'RUN',
    'LABEL',
    'ENV',
    'USER',
    'EXPOSE',
    'HEALTHCHECK',
    'ENTRYPOINT',
    'CMD',
  ];
  expect(dockerfile.filter(({ name }) => !names.includes(name))).toEqual([]);
  expect(stages).toHaveLength(2);
  expect(valuesOf(image, 'USER')).toEqual(['1000:1000']);
  expect(valuesOf(image, 'RUN')).toEqual([]);
  expect(valuesOf(image, 'HEALTHCHECK')).toHaveLength(1);
  for (const value of dockerfile.filter(({ name }) => name === 'FROM').map((each) => each.value)) {
    const [, major] = /^node:(\d+)-alpine/.exec(value) ?? [];
    expect(Number(major) % 2, value).toBe(0);
    expect(Number(major), value).toBeGreaterThanOrEqual(Number(/\d+/.exec(packageJson.engines.node)));
  }
});

test('every file that the Dockerfile copies exists and is not ignored, and no other file is in the build context', () => {
  const sources = copied.flat().flatMap((each) => each.sources);
  const allowed = read('.dockerignore')
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
  expect(read('.dockerignore')).toMatch(/^\*$/m);
  expect(new Set(sources)).toEqual(new Set(allowed));
  for (const source of sources) expect(existsSync(join(root, source)), source).toBe(true);
});

test('the files know no variable that the program does not know', () => {
  for (const file of ['Dockerfile', 'compose.yaml']) {
    expect(
      variablesIn(read(file)).filter((name) => !knownVariables.has(name)),
      file,
    ).toEqual([]);
  }
});

/** Copies what a stage copies. */
function copyStage(index: number, folder: string): void {
  for (const { sources, target } of copied[index] ?? []) {
    for (const source of sources) {
      const isFolder = target.endsWith('/');
      cpSync(join(root, source), join(folder, isFolder ? join(target, source) : target), { recursive: true });
    }
  }
}

/** Builds as the Dockerfile does, but with the packages that are installed here, and returns the image's folder. */
function buildImage(): string {
  const folder = temporaryFolder();
  const from = join(folder, 'build');
  const app = join(folder, 'app');
  for (const each of [from, app]) mkdirSync(each);
  copyStage(0, from);
  symlinkSync(join(root, 'node_modules'), join(from, 'node_modules'));
  const [install = '', ...others] = valuesOf(build, 'RUN');
  expect(install).toMatch(/^npm ci --ignore-scripts\b/);
  for (const command of others) execFileSync('sh', ['-c', command], { cwd: from, stdio: 'pipe' });
  copyStage(1, app);
  const [, source = '', target = ''] =
    /^--from=build \/build\/(\S+) (\S+)$/.exec(
      valuesOf(image, 'COPY').find((value) => value.includes('--from')) ?? '',
    ) ?? [];
  cpSync(join(from, source), join(app, target), { recursive: true });
  return app;
}

/** Runs a command of the image in its folder. */
function run(app: string, [program = '', file = '', ...args]: string[], environment: Record<string, string>) {
  expect(program).toBe('node');
  return start(args, environment, { file: file.startsWith('-') ? file : join(app, file) });
}

/** What the image sets for the program. */
const imageEnvironment = Object.fromEntries(valuesOf(image, 'ENV').map((line) => line.split('=', 2)));

test('the image builds, starts, is healthy, and stops on SIGTERM', { timeout: 90_000 }, async () => {
  const app = buildImage();
  const sandbox = await startSandbox({ students: 5, orders: 5 });
  const settings = {
    ACADEMY_BASE_URL: sandbox.url,
    ACADEMY_API_KEY: sandbox.apiKey,
    ACADEMY_HTTP_TOKENS: 'first-token-0123456789abcdef',
    // A probe inside of the container does not send this name.
    ACADEMY_HTTP_ALLOWED_HOSTS: 'mcp.example.com',
  };
  const server = run(app, [...execForm('ENTRYPOINT'), ...execForm('CMD'), '--port', '0'], {
    ...imageEnvironment,
    ...settings,
  });
  await expect
    .poll(() => server.written.stdout + server.written.stderr)
    .toMatch(/listening on http:\/\/0\.0\.0\.0:\d+/);
  const port = /:(\d+)\/mcp/.exec(server.written.stdout)?.[1] ?? '';
  const probe = execForm('HEALTHCHECK');
  expect(await run(app, probe, { ACADEMY_HTTP_PORT: port }).ended).toMatchObject({ code: 0 });
  expect(await run(app, probe, { PORT: port }).ended).toMatchObject({ code: 0 });
  server.child.kill('SIGTERM');
  expect(await server.ended).toMatchObject({ code: 0 });
  expect(await run(app, probe, { PORT: port }).ended).toMatchObject({ code: 1 });
});

interface Compose {
  services: Record<'proxy' | 'redis', Record<string, unknown>> & {
    'academy-mcp-1': Record<string, unknown> & { environment: Record<string, string>; secrets: string[] };
  };
  secrets: Record<string, { file: string }>;
}

const compose = parse(read('compose.yaml')) as Compose;
const service = compose.services['academy-mcp-1'];

/** The variables that have a value in the file. Compose takes the others from the environment, and leaves out unset ones. */
const assigned = Object.entries(service.environment).flatMap(([name, value]) =>
  value === null ? [] : [[name, value]],
);

/** A value as Compose fills it in, without any variable of its own. */
const defaulted = (value: string) => value.replaceAll(/\$\{[A-Z_]+:-([^}]*)\}/g, '$1');

test('compose.yaml starts replicas, Redis and a proxy without rights, on this machine only, with secrets in files', () => {
  const { proxy, redis } = compose.services;
  expect(Object.keys(compose.services).toSorted()).toEqual(['academy-mcp-1', 'academy-mcp-2', 'proxy', 'redis']);
  expect(compose.services).toMatchObject({ 'academy-mcp-2': service });
  for (const each of [proxy, redis, service]) {
    expect(each).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
  }
  expect([proxy.ports, redis.ports, service.ports]).toEqual([['127.0.0.1:3000:3000'], undefined, undefined]);
  // Exports must not push out used confirmation codes, sessions and the count of the limit.
  expect([redis.command].flat().join(' ')).toContain('--maxmemory-policy noeviction');
  expect(service.environment.ACADEMY_REPLICAS).toMatch(/:-2\}$/);
  const [mounted = ''] = proxy.volumes as string[];
  expect(existsSync(join(root, mounted.split(':')[0] ?? '')), mounted).toBe(true);
  expect(service.stop_grace_period).toBe('40s');
  expect(service.secrets).toEqual(Object.keys(compose.secrets));
  const files = assigned.flatMap(([, value = '']) => (value.startsWith('/run/secrets/') ? [value] : []));
  expect(files).toEqual(service.secrets.map((name) => `/run/secrets/${name}`));
  for (const { file } of Object.values(compose.secrets)) expect(read('.gitignore')).toContain(`${file.split('/')[1]}/`);
  expect(Object.keys(service.environment).filter((name) => /KEY$|TOKENS?$|SECRET$/.test(name))).toEqual([]);
});

test('compose.yaml has a volume for the audit log that the user of the image can write to', () => {
  // The base image makes this folder for user 1000, and a new volume takes over its owner.
  expect(service.volumes).toEqual(['audit:/home/node']);
  expect(valuesOf(image, 'USER')).toEqual(['1000:1000']);
});

test('the program starts with the environment of compose.yaml', async () => {
  const sandbox = await startSandbox({ students: 5, orders: 5 });
  const folder = temporaryFolder();
  const secrets = { 'api-key': sandbox.apiKey, 'http-tokens': 'first-token-0123456789abcdef' };
  for (const [name, value] of Object.entries(secrets)) {
    writeFileSync(join(folder, name), `${value}\n`);
    chmodSync(join(folder, name), 0o444);
  }
  // The program does not start without the Redis of its settings, and this machine has none.
  const alone = assigned.filter(([name = '']) => !/^ACADEMY_(REDIS|REPLICAS)/.test(name));
  const environment = alone.map(([name, value = '']) => [
    name,
    defaulted(value)
      .replace('/run/secrets', folder)
      .replace(/^\$\{ACADEMY_BASE_URL:\?.*\}$/, sandbox.url),
  ]);
  const command = [...execForm('ENTRYPOINT'), ...execForm('CMD'), '--port', '0'];
  const server = run(root, command, {
    ...imageEnvironment,
    ...(Object.fromEntries(environment) as Record<string, string>),
  });
  await expect
    .poll(() => server.written.stdout + server.written.stderr)
    .toMatch(/listening on http:\/\/0\.0\.0\.0:\d+/);
});
