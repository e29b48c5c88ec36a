import { expect, test } from 'vitest';
import { FlagError, loadConfig } from '../../src/config/load.ts';
import type { Flags } from '../../src/config/setting-sources.ts';
import { SettingsError } from '../../src/shared/errors.ts';

const complete = { ACADEMY_BASE_URL: 'https://school.test', ACADEMY_API_KEY: 'secret-key-1' };

function refusal(environment: Record<string, string>, flags: Flags = {}): SettingsError {
  try {
    loadConfig(flags, { ...complete, ...environment });
  } catch (error) {
    if (error instanceof SettingsError) return error;
  }
  throw new Error('the settings were accepted');
}

/** A misspelled value of a setting, and the value that was meant. */
const misspelled: [name: string, value: string, meant: string][] = [
  ['ACADEMY_TIMEZONE', 'Europe/Lisabon', 'Europe/Lisbon'],
  ['ACADEMY_TIMEZONE', 'lisabon', 'Europe/Lisbon'],
  ['ACADEMY_TIMEZONE', 'New Yorc', 'America/New_York'],
  ['ACADEMY_TOOLSETS', 'orders,stundents', 'students'],
  ['ACADEMY_TOOLSETS', 'Orders', 'orders'],
  ['ACADEMY_CONFIRM', 'humans', 'human'],
  ['LOG_LEVEL', 'warning', 'warn'],
  ['LOG_LEVEL', 'DEBUG', 'debug'],
  ['ACADEMY_AUTH_SCHEME', 'Bearer', 'bearer'],
];

test.for(misspelled)('%s=%s suggests %s', ([name, value, meant]) => {
  expect(refusal({ [name]: value }).message).toMatch(new RegExp(`^${name} .*\\. Did you mean ${meant}\\?$`));
});

test('a value that resembles none suggests none and is not repeated', () => {
  for (const name of ['ACADEMY_TIMEZONE', 'ACADEMY_TOOLSETS', 'ACADEMY_CONFIRM', 'LOG_LEVEL']) {
    for (const value of ['zz-live-4242424242', 'z'.repeat(100_000)]) {
      const { message } = refusal({ [name]: value });
      expect(message).not.toContain('Did you mean');
      expect(message).not.toContain(value);
    }
  }
});

test('a wrong value of a flag is wrong usage, and one of a variable is not', () => {
  expect(refusal({}, { timezone: 'Europe/Lisabon' })).toBeInstanceOf(FlagError);
  expect(refusal({}, { timezone: 'Europe/Lisabon' }).message).toMatch(/^--timezone .* Did you mean Europe\/Lisbon\?$/);
  expect(refusal({}, { rateLimit: 'off' })).toBeInstanceOf(FlagError);
  expect(refusal({}, { rateLimit: 'off' }).message).toMatch(/^--rate-limit must not be off/);
  expect(refusal({ ACADEMY_TIMEZONE: 'Europe/Lisabon' })).not.toBeInstanceOf(FlagError);
  expect(refusal({ ACADEMY_RATE_LIMIT: 'off' })).not.toBeInstanceOf(FlagError);
});
