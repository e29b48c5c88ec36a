import { SettingsError } from '../shared/errors.ts';
import { settings } from './settings.ts';

/** Hosts that are reserved for examples (RFC 2606, section 3), so no academy has one. */
const exampleHost = /(^|\.)example(\.(com|net|org))?$/;

/** Texts that stand for a key in documents, and a variable that the client did not replace. */
const exampleKey = /^(\$\{.*\}|\.{3}|x{3,}|(your|my|the)?[-_]?api[-_]?key|your[-_]?key|change[-_]?me)$/i;

/** The problem of a setting, after its name. */
export const placeholderProblem = 'is still the placeholder of an example';

/** How to find the value of a setting. */
const hints: Readonly<Record<string, string>> = {
  [settings.baseUrl.env]: 'Set it to the address at which you open your academy in a browser.',
  [settings.apiKey.env]: 'Sign in to your academy as an admin and copy the api_key from Account Settings.',
};

export function placeholderHint(env: string): string {
  return hints[env] ?? 'Set it to a value of your own, or leave it out.';
}

/** Whether the value of any setting is one that documents show, such as `<your key>` or `/path/to/key`. */
export function isPlaceholder(text: string): boolean {
  return /^(<.*>$|\/path\/to\/)/.test(text);
}

export function isExampleAddress({ hostname }: URL): boolean {
  return exampleHost.test(hostname);
}

export function isExampleKey(key: string): boolean {
  return exampleKey.test(key);
}

/** Throws `SettingsError` if the address or the key is still that of an example in the documents. */
export function refusePlaceholders({ baseUrl, apiKey }: { readonly baseUrl: URL; readonly apiKey: string }): void {
  if (isExampleAddress(baseUrl)) {
    const { env } = settings.baseUrl;
    throw new SettingsError(`${env} is still the address of an example`, placeholderHint(env));
  }
  if (isExampleKey(apiKey)) {
    const { env } = settings.apiKey;
    throw new SettingsError(`${env} ${placeholderProblem}`, placeholderHint(env));
  }
}
