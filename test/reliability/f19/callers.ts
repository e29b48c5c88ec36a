import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { JWTPayload } from 'jose';
import { program } from '../../support/built.ts';
import { callMessage, initialize } from '../../support/http-server.ts';
import { startIdentityProvider } from '../../support/identity-provider.ts';
import { createCaller } from '../http/caller.ts';
import { type Attack, type Ground, unless } from './attack.ts';

const audience = 'https://mcp.example.com/mcp';
const scope = 'academy:read academy:write academy:access';

async function startProtected(ground: Ground) {
  const provider = await startIdentityProvider(ground.keep);
  const { url } = await ground.http({ ACADEMY_OAUTH_ISSUER: provider.issuer, ACADEMY_OAUTH_AUDIENCE: audience });
  const caller = createCaller(url, 1);
  ground.keep(caller.close);
  const bearer = async (claims: JWTPayload) => ({
    authorization: `Bearer ${await provider.issue({ aud: audience, scope, ...claims })}`,
  });
  return { caller, bearer };
}

const victims: readonly JWTPayload[] = [{ sub: 'acme' }, { sub: '', client_id: 'acme' }, { sub: 'ann@example.com' }];

const impostors: readonly [words: string, claims: JWTPayload][] = [
  ['a client of that name', { sub: '', client_id: 'acme' }],
  ['a client named in azp', { sub: '', azp: 'acme' }],
  ['a subject with the prefix of a client', { sub: 'oauth:client:acme' }],
  ['a subject with the prefix of a subject', { sub: 'oauth:sub:acme' }],
  ['a subject in capitals', { sub: 'ACME' }],
  ['a subject with a trailing space', { sub: 'acme ' }],
  ['a subject with a letter that looks the same', { sub: '\u0430cme' }],
  ['a client named like the email', { sub: '', client_id: 'ann@example.com' }],
  ['a subject that is the email in capitals', { sub: 'ANN@example.com' }],
];

const callerKey = (claims: JWTPayload) => JSON.stringify([claims.sub, claims.client_id ?? claims.azp]);

export const callerAttacks: readonly Attack[] = impostors.map(([words, claims], index) => ({
  point: 13,
  words: `${words} enters the session of another`,
  isLong: index > 0,
  attempt: async (ground) => {
    const { caller, bearer } = await startProtected(ground);
    const entered: string[] = [];
    for (const victim of victims.filter((each) => callerKey(each) !== callerKey(claims))) {
      const own = await bearer(victim);
      const { session } = await caller.send(initialize, own);
      const headers = { ...(await bearer(claims)), 'mcp-session-id': session };
      const { status } = await caller.send(callMessage(2, 'get_account'), headers);
      const good = await caller.send(callMessage(3, 'get_account'), { ...own, 'mcp-session-id': session });
      if (status !== 404 || good.status !== 200) entered.push(`${callerKey(victim)}: ${status}, ${good.status}`);
    }
    return unless(entered.length === 0, entered.join(' / '));
  },
}));

const folder = dirname(program);

async function sourcesOf(file: string): Promise<string[]> {
  const { sources }: { sources: string[] } = JSON.parse(await readFile(join(folder, file), 'utf8'));
  return sources;
}

/** The packages that the source maps of the bundle name, also nested ones. */
async function bundled(): Promise<string[]> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.map'));
  const sources = (await Promise.all(files.map(sourcesOf))).flat().filter((path) => !path.includes('/.pnpm/'));
  const names = sources.flatMap((source) => source.match(/(?<=node_modules\/)(@[^/]+\/)?[^/.][^/]*/g) ?? []);
  return [...new Set(names)].filter((name) => !name.endsWith('/core-internal'));
}

const read = () => readFile(join(folder, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
const headings = /^(\S+) \d+\.\d+\.\d+\S* \((.+)\)$/gm;

async function missing(): Promise<string | undefined> {
  const text = await read();
  const absent = (await bundled()).filter((name) => !text.includes(`\n${name} `));
  return unless(absent.length === 0, `no licence of ${absent.join(', ')}`);
}

async function empty(): Promise<string | undefined> {
  const parts = (await read()).split(headings);
  const short = parts.filter(
    (_part, index) => index % 3 === 0 && index > 0 && (parts[index]?.trim().length ?? 0) < 200,
  );
  return unless(parts.length > 90 && short.length === 0, `${parts.length} parts, short: ${short.join(' / ')}`);
}

async function unfree(): Promise<string | undefined> {
  const names = [...(await read()).matchAll(headings)].map(([, name, licence]) => `${name}: ${licence}`);
  const odd = names.filter((each) => !/: .*(MIT|ISC|BSD|Apache|0BSD|BlueOak|CC0|Unlicense|Python)/.test(each));
  return unless(names.length > 30 && odd.length === 0, `${names.length} licences; ${odd.join(', ')}`);
}

async function unshipped(): Promise<string | undefined> {
  const manifest: { files?: string[] } = JSON.parse(await readFile(join(folder, '..', 'package.json'), 'utf8'));
  const isShipped = manifest.files?.some((each) => /^dist(\/(THIRD-PARTY-LICENSES\.txt|\*\.txt)?)?$/.test(each));
  return unless(isShipped === true, `files: ${manifest.files?.join(', ')}`);
}

export const licenceAttacks: readonly Attack[] = [
  { point: 17, words: 'a package of the bundle, also a nested one, that the licences do not name', attempt: missing },
  { point: 17, words: 'a package that is listed without its licence text', attempt: empty },
  { point: 17, words: 'a package with an unknown licence', attempt: unfree },
  { point: 17, words: 'a published package of ours without the licences', attempt: unshipped },
];
