import { isObject, type Json } from '../../src/shared/json.ts';
import { record, text } from './values.ts';

/** The client as a view sees it: what it offers, and how it looks. MCP Apps, 2026-01-26. */
export interface HostContext {
  readonly theme?: string;
  readonly styles?: { readonly variables?: Readonly<Record<string, string | undefined>> };
  readonly displayMode?: string;
  readonly availableDisplayModes?: readonly string[];
  readonly containerDimensions?: { readonly height?: number; readonly maxHeight?: number };
}

export interface ToolResult {
  readonly content?: readonly { readonly text?: string }[];
  readonly structuredContent?: Json;
  readonly isError?: boolean;
}

interface ViewEvents {
  /** @param args the arguments of the assistant's call. */
  onResult(result: ToolResult, args: Json): void;
  onCancelled(reason: string): void;
  onContext(context: HostContext): void;
}

/** JSON-RPC: the method is unknown here. */
const methodNotFound = -32601;

function send(message: Json): void {
  // The origin of the client is unknown to a sandboxed page. Only the window that shows this page receives messages.
  window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
}

/** Sends requests to the window that shows this page, and passes on what that window sends. */
function openChannel(onNotification: (method: string, params: Json) => void) {
  const waiting = new Map<unknown, { resolve: (result: Json) => void; reject: (error: Error) => void }>();
  let last = 0;

  function settle({ id, result, error }: Json): void {
    const request = waiting.get(id);
    waiting.delete(id);
    if (isObject(error)) request?.reject(new Error(String(error.message)));
    else request?.resolve(record(result));
  }

  function answer({ id, method }: Json): void {
    const isKnown = method === 'ping' || method === 'ui/resource-teardown';
    send(isKnown ? { id, result: {} } : { id, error: { code: methodNotFound, message: `unknown method: ${method}` } });
  }

  window.addEventListener('message', ({ source, data }) => {
    if (source !== window.parent || !isObject(data) || data.jsonrpc !== '2.0') return;
    if (typeof data.method !== 'string') settle(data);
    else if ('id' in data) answer(data);
    else onNotification(data.method, record(data.params));
  });

  return (method: string, params: Json): Promise<Json> =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      send({ id: last, method, params });
    });
}

/** Tells the client how high the page is, now and whenever that changes. */
function reportSize(): void {
  let reported = '';
  const report = () => {
    const { width, height } = document.documentElement.getBoundingClientRect();
    const params = { width: Math.ceil(width), height: Math.ceil(height) };
    const text = JSON.stringify(params);
    if (text !== reported) send({ method: 'ui/notifications/size-changed', params });
    reported = text;
  };
  new ResizeObserver(report).observe(document.documentElement);
  report();
}

export async function connect(name: string) {
  let context: HostContext = {};
  let args: Json = {};
  let events: ViewEvents | undefined;
  const update = (changed: Json) => {
    context = { ...context, ...changed };
    events?.onContext(context);
  };
  const request = openChannel((method, params) => {
    if (method === 'ui/notifications/tool-input') args = record(params.arguments);
    if (method === 'ui/notifications/tool-result') events?.onResult(params, args);
    if (method === 'ui/notifications/tool-cancelled') events?.onCancelled(text(params.reason) ?? '');
    if (method === 'ui/notifications/host-context-changed') update(params);
  });
  const { hostCapabilities, hostContext } = await request('ui/initialize', {
    protocolVersion: '2026-01-26',
    appInfo: { name: `academy-mcp ${name}`, version: '1' },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
  });
  const { serverTools, updateModelContext } = record(hostCapabilities);
  update(record(hostContext));
  return {
    canCallTools: isObject(serverTools),
    context: () => context,
    /** Resolves with errors of the tool too. Rejects if the client refuses. */
    callTool: (tool: string, input: Json): Promise<ToolResult> => {
      // With several accounts, every tool takes the one that the assistant's call named.
      const account = 'account' in args ? { account: args.account } : {};
      return request('tools/call', { name: tool, arguments: { ...account, ...input } });
    },
    /** Asks for a display mode, and takes the one that the client chose. */
    requestMode: async (mode: string) => {
      const { mode: chosen } = await request('ui/request-display-mode', { mode });
      if (typeof chosen === 'string') update({ displayMode: chosen });
    },
    /** Tells the assistant what a person has done in the view, if the client passes it on. Never with texts of others. */
    tellModel: (text: string) => {
      if (!isObject(updateModelContext)) return;
      request('ui/update-model-context', { content: [{ type: 'text', text }] }).catch(() => {});
    },
    /** From now on, the client sends the arguments and the result. */
    listen: (view: ViewEvents) => {
      events = view;
      view.onContext(context);
      send({ method: 'ui/notifications/initialized', params: {} });
      reportSize();
    },
  };
}

export type Host = Awaited<ReturnType<typeof connect>>;

export function resultText({ content = [] }: ToolResult): string {
  return content.map(({ text = '' }) => text).join('\n');
}

/** The structured answer of a tool. Throws the error of the tool. */
export function dataOf(result: ToolResult): Json {
  if (result.isError === true) throw new Error(resultText(result));
  return result.structuredContent ?? {};
}
