import type { Account } from '../../accounts/accounts.ts';
import type { Config } from '../../config/load.ts';
import { eventsFileSetting } from '../../events/event-feed.ts';
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
export async function eventsFileProblem(file: string | undefined, setting: string): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    await openEventWriter(file, setting).close();
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

function fileLine({ eventsFile }: WebhookConfig, account: string | undefined, problem: string | undefined): string {
  if (eventsFile === undefined)
    return '  events       kept in memory: they are lost when the server ends (set ACADEMY_EVENTS_FILE to keep them)';
  if (problem !== undefined) return `NO  ${problem}`;
  return `  events       kept in ${account === undefined ? eventsFileSetting : eventsFile}, which is writable`;
}

const unreachable =
  '               The platform cannot reach an address on this machine. Use the public address of your proxy instead.';

/** Lines about the webhooks of an account of an accounts file, or of the only one. `problem`: that of the events file. */
export function webhookLines(
  config: WebhookConfig,
  account: string | undefined,
  problem: string | undefined,
): string[] {
  if (config.webhookSecret.length === 0) {
    const file = config.eventsFile === undefined ? [] : [fileLine(config, account, problem)];
    const setting = account === undefined ? 'ACADEMY_WEBHOOK_SECRET' : 'webhook_secret_env or ACADEMY_WEBHOOK_SECRET';
    return [`  webhooks     not set: the server receives no events (set ${setting})`, ...file];
  }
  const origin = publicOrigin(config);
  return [
    '  webhooks     received by academy-mcp http. The addresses for Account Settings, Integrations, Webhooks:',
    ...webhookPaths(account ?? defaultAccount, account === undefined ? '<ACADEMY_WEBHOOK_SECRET>' : '<secret>').map(
      ({ path }) => `               ${origin}${path}`,
    ),
    '               academy-mcp doctor --webhook-urls prints them with the secret.',
    ...(isLoopback(new URL(origin)) ? [unreachable] : []),
    fileLine(config, account, problem),
  ];
}

function addressLines(config: WebhookConfig, account: string): string[] {
  const [secret] = config.webhookSecret;
  const paths = secret === undefined ? [] : webhookPaths(account, secret);
  return paths.map(({ event, path }) => `  ${event.padEnd(18)} ${publicOrigin(config)}${path}`);
}

/** The addresses with the secret, for a person to paste. `accounts`: those of an accounts file to show. */
export function secretWebhookLines(config: WebhookConfig, accounts?: readonly Account[]): string[] {
  const lines =
    accounts === undefined
      ? addressLines(config, defaultAccount)
      : accounts.flatMap(({ name, config: own }) => {
          const addresses = addressLines(own, name);
          return addresses.length === 0 ? [] : [`Account ${name}`, ...addresses];
        });
  if (lines.length === 0) {
    const more = accounts === undefined ? '' : ', or name a secret in webhook_secret_env of an account';
    const hint = `Set it to 32 to 128 letters, digits, - or _${more}.`;
    throw new SettingsError('ACADEMY_WEBHOOK_SECRET is not set', hint);
  }
  return [
    'Keep these addresses secret: anyone who has one can send events to your server.',
    'Paste each into Account Settings, Integrations, Webhooks, for the event that it names:',
    ...lines,
    ...(isLoopback(new URL(publicOrigin(config))) ? [unreachable.trim()] : []),
  ];
}
