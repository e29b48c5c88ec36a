import type { Config } from '../../config/load.ts';
import { openEventWriter } from '../../events/event-writer.ts';
import { defaultAccount, webhookPaths } from '../../events/webhook-address.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { SettingsError } from '../../shared/errors.ts';
import { isLoopback } from '../../shared/loopback.ts';

type WebhookConfig = Pick<
  Config,
  'webhookSecret' | 'eventsFile' | 'oauthAudience' | 'httpAllowedHosts' | 'httpHost' | 'httpPort'
>;

/** Opens the events file as the server does, which creates a missing file. Returns the problem, if any. */
export async function eventsFileProblem(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    await openEventWriter(file).close();
    return undefined;
  } catch (error) {
    if (error instanceof SettingsError) return oneLine(error.message, 500);
    throw error;
  }
}

/** The address of the server as the platform sees it, as far as the settings say. */
export function publicOrigin({ oauthAudience = '', httpAllowedHosts, httpHost, httpPort }: WebhookConfig): string {
  if (URL.canParse(oauthAudience) && /^https?:$/.test(new URL(oauthAudience).protocol)) {
    return new URL(oauthAudience).origin;
  }
  const [host = `${httpHost.includes(':') ? `[${httpHost}]` : httpHost}:${httpPort}`] = httpAllowedHosts ?? [];
  const isLocal = httpAllowedHosts === undefined || isLoopback(new URL(`http://${host}`));
  return `${isLocal ? 'http' : 'https'}://${host}`;
}

function fileLine({ eventsFile }: WebhookConfig, problem: string | undefined): string {
  if (eventsFile === undefined)
    return '  events       kept in memory: they are lost when the server ends (set ACADEMY_EVENTS_FILE to keep them)';
  return problem === undefined ? '  events       kept in ACADEMY_EVENTS_FILE, which is writable' : `NO  ${problem}`;
}

const unreachable =
  '               The platform cannot reach an address on this machine. Use the public address of your proxy instead.';

/** Lines about the webhooks. `problem`: that of the events file. */
export function webhookLines(config: WebhookConfig, problem: string | undefined): string[] {
  if (config.webhookSecret.length === 0) {
    const file = config.eventsFile === undefined ? [] : [fileLine(config, problem)];
    return ['  webhooks     not set: the server receives no events (set ACADEMY_WEBHOOK_SECRET)', ...file];
  }
  const origin = publicOrigin(config);
  return [
    '  webhooks     received by academy-mcp http. The addresses for Account Settings, Integrations, Webhooks:',
    ...webhookPaths(defaultAccount, '<ACADEMY_WEBHOOK_SECRET>').map(({ path }) => `               ${origin}${path}`),
    '               academy-mcp doctor --webhook-urls prints them with the secret.',
    ...(isLoopback(new URL(origin)) ? [unreachable] : []),
    fileLine(config, problem),
  ];
}

/** The addresses with the secret, for a person to paste. */
export function secretWebhookLines(config: WebhookConfig): string[] {
  const [secret] = config.webhookSecret;
  if (secret === undefined) {
    throw new SettingsError('ACADEMY_WEBHOOK_SECRET is not set', 'Set it to 32 to 128 letters, digits, - or _.');
  }
  const origin = publicOrigin(config);
  return [
    'Keep these addresses secret: anyone who has one can send events to your server.',
    'Paste each into Account Settings, Integrations, Webhooks, for the event that it names:',
    ...webhookPaths(defaultAccount, secret).map(({ event, path }) => `  ${event.padEnd(18)} ${origin}${path}`),
    ...(isLoopback(new URL(origin)) ? [unreachable.trim()] : []),
  ];
}
