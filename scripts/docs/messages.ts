import { unreadableResponseError } from '../../src/api/http/errors.ts';
import { waitTooLongError } from '../../src/api/rate-limit/limiter.ts';
import { loadConfig } from '../../src/config/load.ts';
import { refusePlaceholders } from '../../src/config/placeholders.ts';
import { errorText } from '../../src/mcp/output/error-text.ts';
import { type AcademyError, SettingsError } from '../../src/shared/errors.ts';
import { codeBlock } from './markdown.ts';
import type { Parts } from './marked-parts.ts';

/** Wrong environments, by the name of the message that a person then reads at the start. */
const mistakes: Record<string, Record<string, string>> = {
  'no address': {},
  misspelled: { ACADEMY_READONLY: 'true' },
  'example address': { ACADEMY_BASE_URL: 'https://academy.example.com', ACADEMY_API_KEY: 'k' },
  'example key': { ACADEMY_BASE_URL: 'https://school.test', ACADEMY_API_KEY: 'your-api-key' },
};

function asSentence(message: string): string {
  return message.endsWith('?') ? message : `${message}.`;
}

function startMessage(environment: Record<string, string>): string {
  try {
    refusePlaceholders(loadConfig({}, environment));
  } catch (error) {
    if (error instanceof SettingsError)
      return [`academy-mcp: ${asSentence(error.message)}`, error.hint].join(' ').trim();
  }
  throw new Error('the settings were accepted');
}

function callMessage(error: AcademyError): string {
  return errorText(error).split('\n')[0] ?? '';
}

/** docs/troubleshooting.md: messages of the program, as it prints them. */
export function messages(): Parts {
  const lines = {
    ...Object.fromEntries(Object.entries(mistakes).map(([name, environment]) => [name, startMessage(environment)])),
    'not JSON': callMessage(unreadableResponseError(200)),
    'no request left': callMessage(waitTooLongError(57_000)),
  };
  return Object.fromEntries(Object.entries(lines).map(([name, line]) => [`message: ${name}`, codeBlock('text', line)]));
}
