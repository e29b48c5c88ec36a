import { didYouMean } from '../../config/closest-match.ts';
import { UsageError } from '../usage-error.ts';
import { type ClientId, clientIds } from './clients.ts';
import type { Prompter } from './prompter.ts';

/** Asks for the client until one is named. */
export async function askClient(prompter: Prompter | undefined): Promise<ClientId> {
  if (prompter === undefined) throw new UsageError('the client is missing: add --client', 'academy-mcp init');
  for (;;) {
    const answer = await prompter.ask(`Client (${clientIds.join(', ')}): `);
    const known = clientIds.find((id) => id === answer.toLowerCase());
    if (known !== undefined) return known;
    prompter.say(`The client must be one of ${clientIds.join(', ')}${didYouMean(answer, clientIds)}`);
  }
}
