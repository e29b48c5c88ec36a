import { isObject } from '../../shared/json.ts';
import type { FailedCheck } from './auth/failed-checks.ts';

/** What the log says about a request besides its status and duration. Holds no token, no arguments and no answer. */
export interface RequestFacts {
  /** Only of a known route: any other path may hold anything. */
  path?: string;
  /** As in the audit log. Missing if the request was refused before its caller was known. */
  caller?: string;
  /** Methods of the MCP messages, separated by commas. */
  message?: string;
  /** Tools that the messages call, separated by commas. */
  tool?: string;
  /** Why the access token was refused. */
  refused?: readonly FailedCheck[];
}

const methods: ReadonlySet<unknown> = new Set([
  'completion/complete',
  'initialize',
  'logging/setLevel',
  'notifications/cancelled',
  'notifications/initialized',
  'notifications/progress',
  'notifications/roots/list_changed',
  'ping',
  'prompts/get',
  'prompts/list',
  'resources/list',
  'resources/read',
  'resources/subscribe',
  'resources/templates/list',
  'resources/unsubscribe',
  'server/discover',
  'subscriptions/listen',
  'tools/call',
  'tools/list',
]);

const unknown = 'unknown';

function methodOf(message: unknown): string {
  if (!isObject(message)) return unknown;
  if (!('method' in message)) return 'id' in message ? 'response' : unknown;
  return methods.has(message.method) ? String(message.method) : unknown;
}

/** Names only known tools and methods: a client can send any text, such as an email, as a name. */
export function describeMessages(body: unknown, tools: ReadonlySet<unknown>): Pick<RequestFacts, 'message' | 'tool'> {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  const called = messages.flatMap((message) => {
    if (!isObject(message) || message.method !== 'tools/call') return [];
    const name = isObject(message.params) ? message.params.name : undefined;
    return tools.has(name) ? String(name) : unknown;
  });
  return {
    message: messages.map(methodOf).join(', '),
    ...(called.length === 0 ? {} : { tool: called.join(', ') }),
  };
}
