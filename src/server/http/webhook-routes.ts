import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { Logger } from 'pino';
import type { Config } from '../../config/load.ts';
import type { EventInbox } from '../../events/event-feed.ts';
import { createAddressMatcher, deliveryKey, readPayload } from '../../events/webhooks.ts';
import { HttpRefusal, sendJson } from '../../protocol/http-response.ts';
import { maxPendingBytes } from '../../protocol/message.ts';
import { type CallerLimits, createCallerLimits } from './caller-limits.ts';
import type { Prometheus } from './prometheus.ts';
import { readJson } from './read-body.ts';
import type { Route, RouteOptions } from './routes.ts';

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** Whether an address is one of `entries`: addresses and networks in CIDR notation (RFC 4632). */
function createMatcher(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    if (prefix === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

/** The last address that is not a trusted proxy: anybody can send X-Forwarded-For. */
function createSourceReader(proxies: readonly string[]): (request: IncomingMessage) => string {
  const isProxy = createMatcher(proxies);
  return ({ headers, socket }) => {
    const forwarded = [headers['x-forwarded-for'] ?? []].flat().flatMap((value) => value.split(','));
    const hops = [...forwarded.map((part) => part.trim()), socket.remoteAddress ?? ''].reverse();
    return hops.find((address) => !isProxy(address)) ?? hops.at(-1) ?? '';
  };
}

export interface WebhookAccount {
  readonly inbox: EventInbox;
  readonly secrets: readonly string[];
}

interface WebhookOptions {
  webhooks?: readonly WebhookAccount[] | undefined;
  accounts?: object | undefined;
  config: Pick<Config, 'webhookSources' | 'trustedProxies'>;
  log: Logger;
  prometheus: Prometheus;
}

const maxBody = 64 * 1024;
/** Deliveries to one account: twice as many as the busiest academy that we test. */
const limits = { what: 'events', perMinute: 1_200, maxInFlight: 1_000, maxBytes: maxPendingBytes };

const notStored = () =>
  new HttpRefusal(503, 'The event cannot be stored now. Try again later.', { 'retry-after': '30' });

async function take(
  event: Parameters<EventInbox['receive']>[0],
  request: IncomingMessage,
  { addRequests, addBytes }: ReturnType<CallerLimits['usageOf']>,
  inbox: EventInbox,
  log: Logger,
): Promise<string> {
  await addRequests(1);
  const { value, bytes } = await readJson(request, addBytes, maxBody);
  const claims = readPayload(event, value);
  if (claims === undefined) throw new HttpRefusal(422, 'The body is not a payload of this event');
  return await inbox.receive(event, claims, deliveryKey(event, claims, bytes)).catch((error: unknown) => {
    log.error({ err: error }, 'an event cannot be stored');
    throw notStored();
  });
}

/** A wrong secret and a source that is not listed get the answer of an unknown path. */
export function createWebhookRoutes(options: WebhookOptions): RouteOptions['webhooks'] {
  const { webhooks = [], accounts, config, log, prometheus } = options;
  if (webhooks.length === 0) return () => undefined;
  const inboxes = new Map(webhooks.map(({ inbox }) => [inbox.account, inbox]));
  const targetOf = createAddressMatcher(new Map(webhooks.map(({ inbox, secrets }) => [inbox.account, secrets])));
  const { usageOf } = createCallerLimits(limits);
  const unchecked = (inbox: EventInbox) => inbox.events().filter(({ finding }) => finding === undefined).length;
  /** The label of measurements, which only those of an accounts file have. */
  const labelOf = (account: string) => (accounts === undefined ? undefined : account);
  prometheus.watchEvents(() =>
    webhooks.map(({ inbox }) => ({ account: labelOf(inbox.account), value: unchecked(inbox) })),
  );
  const sourceOf = createSourceReader(config.trustedProxies);
  const { webhookSources: sources } = config;
  const isAllowed = sources.length === 0 ? () => true : createMatcher(sources);
  return (path, request) => {
    const target = targetOf(path);
    const inbox = target && inboxes.get(target.account);
    if (target === undefined || inbox === undefined) return undefined;
    const source = sourceOf(request);
    if (!isAllowed(source)) {
      log.warn({ source }, 'an event is refused: its source is not in ACADEMY_WEBHOOK_SOURCES');
      return undefined;
    }
    const { account, event } = target;
    const handle: Route['handle'] = async (request, response) => {
      const usage = usageOf(account);
      const meter = prometheus.meterOf(labelOf(account));
      try {
        meter.event(event, await take(event, request, usage, inbox, log));
        sendJson(response, 202, { status: 'stored' });
      } catch (error) {
        meter.event(event, 'refused');
        throw error;
      } finally {
        usage.release();
      }
    };
    return { methods: ['POST'], label: `/webhooks/${account}/${event}/:secret`, handle };
  };
}
