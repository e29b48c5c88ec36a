import { Command } from 'commander';
import { readSetting } from '../config/load.ts';
import { openApiDocument } from '../contract/openapi.ts';
import type { CommandContext } from './command-context.ts';

const help = `
Needs no settings. If ACADEMY_BASE_URL is set, it is the server of the document.

Example: academy-mcp openapi > openapi.json`;

export function createCommand({ environment, stdout }: CommandContext): Command {
  return new Command('openapi').addHelpText('after', help).action(() => {
    const server = environment.ACADEMY_BASE_URL ? readSetting('baseUrl', { flags: {}, environment }) : undefined;
    stdout.write(`${JSON.stringify(openApiDocument(server), null, 2)}\n`);
  });
}
