import { SettingsError } from '../shared/errors.ts';
import { settings } from './settings.ts';

/** Hosts that are reserved for examples (RFC 2606, section 3), so no academy has one. */
const exampleHost = /(^|\.)example(\.(com|net|org))?$/;

/** Texts that stand for a value in documents, and a variable that the client did not replace. */
const placeholder =
  /^(<.*>|\/path\/to\/.*|\$\{.*\}|\.{3}|x{3,}|(your|my|the)?[-_]?api[-_]?key|your[-_]?key|change[-_]?me)$/i;

export const placeholderProblem = 'is still the placeholder of an example';

const hints: Readonly<Record<string, string>> = {
  [settings.baseUrl.env]: 'Set it to the address at which you open your academy in a browser.',
  [settings.apiKey.env]: 'Sign in to your academy as an admin and copy the api_key from Account Settings.',
};

export function placeholderHint(env: string): string {
  return hints[env] ?? 'Set it to a value of your own, or leave it out.';
}

export const isPlaceholder = (text: string) => placeholder.test(text);

export const isExampleAddress = ({ hostname }: URL) => exampleHost.test(hostname);

export function refuseExampleAddress({ baseUrl }: { readonly baseUrl: URL }): void {
  const { env } = settings.baseUrl;
  if (isExampleAddress(baseUrl))
    throw new SettingsError(`${env} is still the address of an example`, placeholderHint(env));
}
