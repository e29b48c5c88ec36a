import { lookup } from 'node:dns/promises';
import type { Config } from '../config/load.ts';
import { checkMirrorFile, mirrorFileOf } from '../mirror/file/mirror-file.ts';
import { SettingsError } from '../shared/errors.ts';
import { isLoopback } from '../shared/loopback.ts';

// What a server needs besides the academy. Each check throws `SettingsError` with the setting to correct.

const patienceMs = 3_000;

/** The address may hold a password, so only its host is named. */
export async function checkRedis({ redisUrl, redisPrefix }: Config): Promise<void> {
  if (redisUrl === undefined) return;
  const { redisProblem } = await import('../redis/open-shared-state.ts');
  const problem = await redisProblem({ redisUrl, redisPrefix }, patienceMs);
  if (problem === undefined) return;
  const message = `the Redis of ACADEMY_REDIS_URL at ${new URL(redisUrl).host} cannot be used: ${problem}`;
  throw new SettingsError(message, 'Start it, or correct the address or the password.');
}

/** A proxy may know names that this machine does not. The issuer need not answer yet: other callers do not need it. */
async function checkIssuerName({ oauthIssuer }: Config, hasProxy: boolean): Promise<void> {
  if (oauthIssuer === undefined || (hasProxy && !isLoopback(new URL(oauthIssuer)))) return;
  const { hostname } = new URL(oauthIssuer);
  await lookup(hostname.replace(/^\[|\]$/g, '')).catch(({ code }: NodeJS.ErrnoException) => {
    // Any other problem, such as a name server that does not answer, may be over soon.
    if (code !== 'ENOTFOUND') return;
    throw new SettingsError(`ACADEMY_OAUTH_ISSUER names a host that does not exist: ${hostname}`, 'Correct it.');
  });
}

export async function checkDependencies(config: Config, hasProxy: boolean): Promise<void> {
  const file = mirrorFileOf(config.mirror);
  if (file !== undefined) checkMirrorFile(file);
  await checkIssuerName(config, hasProxy);
  await checkRedis(config);
}
