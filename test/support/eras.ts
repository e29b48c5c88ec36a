import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport as LegacyTransport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { atEnd } from './at-end.ts';
import { program } from './program.ts';
import { sharedValidator } from './validator.ts';

/** The server: an address, or the environment of a program to start. */
export type Place = { url: string; token?: string | undefined } | { environment: Record<string, string> };

export interface CallOptions {
  signal?: AbortSignal;
  onprogress?: (progress: { progress: number; message?: string | undefined }) => void;
}

export interface Answered {
  content: { type: string; text?: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/** The parameters of completion/complete. */
export interface Completing {
  ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string };
  argument: { name: string; value: string };
  context?: { arguments: Record<string, string> };
}

/** The features that the suite needs of a client of any era. */
export interface EraClient {
  listTools(): Promise<{
    tools: { name: string; inputSchema: object; outputSchema?: object | undefined; _meta?: object | undefined }[];
  }>;
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<Answered>;
  listResources(): Promise<{ resources: { uri: string; _meta?: object | undefined }[] }>;
  listTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>;
  read(
    uri: string,
    options?: CallOptions,
  ): Promise<{ contents: { uri: string; mimeType?: string; text?: string; _meta?: object }[]; _meta?: object }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  getPrompt(name: string, args?: Record<string, string>): Promise<{ messages: { content: { text?: string } }[] }>;
  complete(params: Completing): Promise<{ completion: { values: string[]; total?: number; hasMore?: boolean } }>;
  capabilities(): Record<string, unknown> | undefined;
  instructions(): string | undefined;
  serverName(): string | undefined;
  title(): string | undefined;
  version(): string | undefined;
  /** Subscribes to a resource in the way of its version. Resolves once the server has agreed. */
  watch(uri: string, onUpdate: (uri: string) => void): Promise<void>;
  close(): Promise<void>;
}

type Read = Awaited<ReturnType<EraClient['read']>>;
type Prompted = Awaited<ReturnType<EraClient['getPrompt']>>;
type Completed = Awaited<ReturnType<EraClient['complete']>>;

/** The answer of the person at the client. */
export type Person = (question: string) => { action: 'accept' | 'decline' | 'cancel'; agree?: boolean };

/** Extensions that a client declares, such as MCP Apps. */
export type Extensions = Record<string, Record<string, string[]>>;

/** A client that shows views. */
export const apps: Extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };

export interface Era {
  /** Its name in test names. */
  name: string;
  /** The protocol version that it must negotiate with this server. */
  version: string;
  connect(place: Place, person?: Person, extensions?: Extensions): Promise<EraClient>;
}

const info = { name: 'test', version: '1' };

function answerOf(person: Person, question: string) {
  const { action, agree } = person(question);
  return agree === undefined ? { action } : { action, content: { agree } };
}

const headersFor = ({ token }: { token?: string | undefined }) =>
  token === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${token}` } } };

const launch = (env: Record<string, string>) => ({ command: process.execPath, args: [program], env });

/** What the clients of both packages do alike. */
export const sameOf = (client: LegacyClient | ModernClient): Omit<EraClient, 'call' | 'version' | 'watch'> => ({
  listTools: () => client.listTools(),
  listResources: () => client.listResources(),
  listTemplates: () => client.listResourceTemplates(),
  read: async (uri, options = {}) => (await client.readResource({ uri }, options)) as Read,
  listPrompts: () => client.listPrompts(),
  complete: async (params) => (await client.complete(params)) as Completed,
  capabilities: () => client.getServerCapabilities(),
  instructions: () => client.getInstructions(),
  serverName: () => client.getServerVersion()?.name,
  title: () => client.getServerVersion()?.title,
  close: () => client.close(),
  getPrompt: async (name, args = {}) => (await client.getPrompt({ name, arguments: args })) as Prompted,
});

const legacy: Era = {
  name: 'the client of 2025-11-25',
  version: '2025-11-25',
  connect: async (place, person, extensions) => {
    const capabilities = { ...(person && { elicitation: {} }), ...(extensions && { extensions }) };
    const client = new LegacyClient(info, { capabilities, jsonSchemaValidator: sharedValidator });
    if (person) client.setRequestHandler(ElicitRequestSchema, ({ params }) => answerOf(person, params.message));
    const transport: LegacyTransport =
      'url' in place
        ? (new LegacyHttp(new URL(place.url), headersFor(place)) as LegacyTransport)
        : new LegacyStdio(launch(place.environment));
    const tell = transport.setProtocolVersion?.bind(transport);
    let version: string | undefined;
    transport.setProtocolVersion = (agreed) => {
      version = agreed;
      tell?.(agreed);
    };
    await client.connect(transport);
    atEnd(() => client.close());
    return {
      ...sameOf(client),
      call: async (name, args = {}, options = {}) =>
        (await client.callTool({ name, arguments: args }, undefined, options)) as Answered,
      version: () => version,
      watch: async (uri, onUpdate) => {
        client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => onUpdate(params.uri));
        await client.subscribeResource({ uri });
      },
    };
  },
};

type Negotiation = NonNullable<ConstructorParameters<typeof ModernClient>[1]>['versionNegotiation'];

const modern = (name: string, version: string, versionNegotiation: Negotiation): Era => ({
  name,
  version,
  connect: async (place, person, extensions) => {
    const capabilities = { ...(person && { elicitation: { form: {} } }), ...(extensions && { extensions }) };
    const mode = versionNegotiation && { versionNegotiation };
    const client = new ModernClient(info, { capabilities, jsonSchemaValidator: sharedValidator, ...mode });
    if (person) client.setRequestHandler('elicitation/create', ({ params }) => answerOf(person, params.message));
    const transport =
      'url' in place
        ? new ModernHttp(new URL(place.url), headersFor(place))
        : new ModernStdio(launch(place.environment));
    await client.connect(transport);
    atEnd(() => client.close());
    return {
      ...sameOf(client),
      call: async (tool, args = {}, options = {}) =>
        (await client.callTool({ name: tool, arguments: args }, options)) as Answered,
      version: () => client.getNegotiatedProtocolVersion(),
      watch: async (uri, onUpdate) => {
        client.setNotificationHandler('notifications/resources/updated', ({ params }) => onUpdate(params.uri));
        if (client.getNegotiatedProtocolVersion() === '2026-07-28') {
          await client.listen({ resourceSubscriptions: [uri] });
        } else await client.subscribeResource({ uri });
      },
    };
  },
});

/** Every kind of client in use. */
export const eras: readonly Era[] = [
  legacy,
  modern('the client of 2026-07-28 by default', '2025-11-25', undefined),
  modern('the client of 2026-07-28 that detects the version', '2026-07-28', { mode: 'auto' }),
  modern('the client of 2026-07-28 that requires its version', '2026-07-28', { mode: { pin: '2026-07-28' } }),
];
