import { Command } from 'commander';
import { type Environment, findText } from '../config/setting-sources.ts';
import { settings } from '../config/settings.ts';
import { openApiDocument } from '../contract/openapi.ts';
import { SettingsError } from '../shared/errors.ts';
import type { CommandContext } from './command-context.ts';

const help = `
Needs no settings. If ACADEMY_BASE_URL is set, it is the server of the document.

Example: academy-mcp openapi > openapi.json`;

function readBaseUrl(environment: Environment): URL | undefined {
  const { text, source } = findText('baseUrl', settings.baseUrl, { flags: {}, environment });
  if (text === undefined) return undefined;
  const { data, error } = settings.baseUrl.schema.safeParse(text);
  if (error !== undefined) throw new SettingsError(`${source} ${error.issues[0]?.message ?? 'is invalid'}`);
  return data;
}

/** `academy-mcp openapi`: prints the API as an OpenAPI 3.1 document. */
export function openapiCommand({ environment, stdout }: CommandContext): Command {
  return new Command('openapi').addHelpText('after', help).action(() => {
    stdout.write(`${JSON.stringify(openApiDocument(readBaseUrl(environment)), null, 2)}\n`);
  });
}
