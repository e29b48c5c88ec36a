import type { JWTHeaderParameters, JWTPayload } from 'jose';
import { cutAt } from '../../../shared/clean-text.ts';

/** A check that an access token failed, for the log. `found` is from the token, whose signature may be wrong. */
export interface FailedCheck {
  readonly check:
    | 'format'
    | 'algorithm'
    | 'key id'
    | 'signature'
    | 'issuer'
    | 'audience'
    | 'expiry'
    | 'not before'
    | 'subject'
    | 'scope'
    | 'accounts';
  readonly expected: string;
  readonly found: string;
}

/** The parts of a token that anyone who has it can read. */
export interface DecodedToken {
  readonly header: Partial<JWTHeaderParameters>;
  readonly claims: JWTPayload;
}

export interface TokenRequirements {
  readonly issuer: string;
  readonly audience: string;
  readonly algorithms: readonly string[];
  /** Seconds by which the clocks of two machines may differ. */
  readonly clockTolerance: number;
}

/** Characters of a value from a token. */
const maxLength = 200;

function printed(value: unknown): string {
  if (value === undefined || value === '') return 'none';
  const text = Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : JSON.stringify(value);
  return cutAt(text, maxLength);
}

/** Seconds since 1970 as a person reads them. */
function time(seconds: unknown): string {
  const date = new Date(typeof seconds === 'number' ? seconds * 1000 : Number.NaN);
  return Number.isNaN(date.getTime()) ? printed(seconds) : date.toISOString();
}

export function failedCheck(check: FailedCheck['check'], expected: unknown, found: unknown): FailedCheck {
  return { check, expected: printed(expected), found: printed(found) };
}

/** Identity providers name themselves with and without a slash at the end. */
export function isSameIssuer(one: string, other: unknown): boolean {
  return typeof other === 'string' && one.replace(/\/$/, '') === other.replace(/\/$/, '');
}

/**
 * Every check on the readable parts that fails, with both values. More than the first one: a token of another realm
 * fails on its key, and only its issuer says why.
 */
export function failedChecks(
  { header, claims }: DecodedToken,
  { issuer, audience, algorithms, clockTolerance }: TokenRequirements,
  now: number = Date.now() / 1000,
): FailedCheck[] {
  const { iss, aud, exp, nbf } = claims;
  const failed: FailedCheck[] = [];
  if (!algorithms.includes(header.alg ?? '')) failed.push(failedCheck('algorithm', algorithms, header.alg));
  if (!isSameIssuer(issuer, iss)) failed.push(failedCheck('issuer', issuer, iss));
  if (![aud].flat().includes(audience)) failed.push(failedCheck('audience', audience, aud));
  if (!(Number(exp) > now - clockTolerance)) failed.push(failedCheck('expiry', `after ${time(now)}`, time(exp)));
  if (Number(nbf) > now + clockTolerance) failed.push(failedCheck('not before', `before ${time(now)}`, time(nbf)));
  return failed;
}
