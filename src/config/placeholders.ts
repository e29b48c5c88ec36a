import { SettingsError } from '../shared/errors.ts';
import type { Config } from './load.ts';
import { settings } from './settings.ts';

/** Hosts that are reserved for examples (RFC 2606, section 3), so no academy has one. */
const exampleHost = /(^|\.)example(\.(com|net|org))?$/;

/** Texts that stand for a key in documents, and a variable that the client did not replace. */
const exampleKey = /^(<.*>|\$\{.*\}|\.{3}|x{3,}|(your|my|the)?[-_]?api[-_]?key|your[-_]?key|change[-_]?me)$/i;

/** Throws `SettingsError` if the address or the key is still that of an example in the documents. */
export function refusePlaceholders({ baseUrl, apiKey }: Config): void {
  if (exampleHost.test(baseUrl.hostname)) {
    throw new SettingsError(
      `${settings.baseUrl.env} is still the address of an example`,
      'Set it to the address at which you open your academy in a browser.',
    );
  }
  if (exampleKey.test(apiKey)) {
    throw new SettingsError(
      `${settings.apiKey.env} is still the placeholder of an example`,
      'Sign in to your academy as an admin and copy the api_key from Account Settings.',
    );
  }
}
