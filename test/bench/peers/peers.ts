import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { program } from '../../support/program.ts';
import type { Launch } from '../processes.ts';

const run = promisify(execFile);

/** The generic servers that are measured. npm chooses their dependencies within the ranges that they state. */
export const versions = { '@ivotoby/openapi-mcp-server': '1.16.1', 'mcp-openapi': '0.3.0' } as const;

type Installed = Awaited<ReturnType<typeof install>>;

async function install() {
  const folder = await mkdtemp(join(tmpdir(), 'academy-peers-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const packages = Object.entries(versions).map(([name, version]) => `${name}@${version}`);
  const flags = ['--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--no-package-lock'];
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  await run('npm', ['install', ...flags, ...packages], { cwd: folder });
  const document = join(folder, 'openapi.json');
  const { stdout } = await run(process.execPath, [program, 'openapi'], { env: {} });
  await writeFile(document, stdout);
  return { folder, document };
}

let installed: Promise<Installed> | undefined;

/** Installs the servers at the first call. They are removed when the process ends. */
function installPeers(): Promise<Installed> {
  installed ??= install();
  return installed;
}

/** The operations that the benchmarks call. Each server has a tool of another name for them. */
export type OperationName = 'getAccount' | 'getOrder' | 'listOrders' | 'searchProducts';

export interface Peer {
  readonly name: string;
  /** `environment` connects it to the academy: it has the address and the key. */
  launch(environment: Record<string, string>): Launch;
  readonly tools: Readonly<Record<OperationName, string>>;
  /** The largest list that its answers show whole. */
  readonly largestList: number;
}

/** It shortens the words of long names: "list" is "lst". */
const ivotobyTools = {
  getAccount: 'get-acct',
  getOrder: 'get-order',
  listOrders: 'lst-orders',
  searchProducts: 'search-products',
};

const mcpOpenapiTools = {
  getAccount: 'get_account',
  getOrder: 'get_order',
  listOrders: 'list_orders',
  searchProducts: 'search_products',
};

function ivotoby({ folder, document }: Installed, args: readonly string[] = []): Peer['launch'] {
  return ({ ACADEMY_BASE_URL = '', ACADEMY_API_KEY = '' }) => ({
    file: join(folder, 'node_modules/@ivotoby/openapi-mcp-server/bin/mcp-server.js'),
    args,
    environment: {
      API_BASE_URL: ACADEMY_BASE_URL,
      OPENAPI_SPEC_PATH: document,
      API_HEADERS: `Authorization:Bearer ${ACADEMY_API_KEY}`,
      VERBOSE: 'false',
    },
    isSilent: true,
  });
}

function mcpOpenapi({ folder, document }: Installed, args: readonly string[] = []): Peer['launch'] {
  return ({ ACADEMY_BASE_URL = '', ACADEMY_API_KEY = '' }) => ({
    file: join(folder, 'node_modules/mcp-openapi/dist/bin/mcp-openapi.js'),
    args: [
      ...['--spec', document, '--base-url', ACADEMY_BASE_URL, '--no-doc-warnings'],
      ...['--auth-type', 'bearer', '--auth-token', '$ACADEMY_API_KEY', ...args],
    ],
    environment: { ACADEMY_API_KEY },
    isSilent: true,
  });
}

export type Peers = Awaited<ReturnType<typeof findPeers>>;

const [ivotobyName = '', mcpOpenapiName = ''] = Object.keys(versions);

export async function findPeers() {
  const installed = await installPeers();
  const one = { name: ivotobyName, tools: ivotobyTools, largestList: 100 };
  // Without a licence key it shows the first 20 entries of each list.
  const other = { name: mcpOpenapiName, tools: mcpOpenapiTools, largestList: 20 };
  return {
    ivotoby: { ...one, launch: ivotoby(installed) },
    mcpOpenapi: { ...other, launch: mcpOpenapi(installed) },
    ivotobyDynamic: { ...one, name: `${one.name}, dynamic`, launch: ivotoby(installed, ['--tools', 'dynamic']) },
    mcpOpenapiDynamic: {
      ...other,
      name: `${other.name}, dynamic`,
      launch: mcpOpenapi(installed, ['--dynamic-discovery']),
    },
  };
}
