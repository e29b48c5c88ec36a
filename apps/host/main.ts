import { isObject, type Json } from '../../src/shared/json.ts';
import { element } from '../shared/dom.ts';

// The page of `academy-mcp demo --open`: a small client of MCP Apps. The demo's server calls the tools.

const shown = [
  { view: 'buyers', title: 'Who bought in the last 30 days?', tool: 'find_buyers', args: { period: 'last_30_days' } },
  {
    view: 'sales',
    title: 'What sold, day by day?',
    tool: 'sales_report',
    args: { period: 'last_30_days', group_by: 'day' },
  },
  {
    view: 'outline',
    title: 'Move a lesson to another module: what would change?',
    tool: 'plan_course_outline',
    args: { course_id: 5, moves: [{ lesson_id: 1074, module_id: 219, position: 4 }] },
  },
];

async function callTool(name: unknown, args: unknown): Promise<Json> {
  const response = await fetch('call', { method: 'POST', body: JSON.stringify({ name, arguments: args }) });
  const result: unknown = await response.json();
  if (!response.ok || !isObject(result)) throw new Error(`the demo answered ${response.status}`);
  return result;
}

type Shown = (typeof shown)[number];

/** JSON-RPC. */
const internalError = -32603;

function host(frame: HTMLIFrameElement, { tool, args }: Shown): void {
  const send = (message: Json) => frame.contentWindow?.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const notify = (method: string, params: Json) => send({ method: `ui/notifications/${method}`, params });

  function setMode(mode: unknown): Json {
    return { mode: frame.classList.toggle('full', mode === 'fullscreen') ? 'fullscreen' : 'inline' };
  }

  const methods: Record<string, (params: Json) => Json | Promise<Json>> = {
    'ui/initialize': () => ({
      protocolVersion: '2026-01-26',
      hostInfo: { name: 'academy-mcp demo', version: '1' },
      hostCapabilities: { serverTools: {} },
      hostContext: { displayMode: 'inline', availableDisplayModes: ['inline', 'fullscreen'] },
    }),
    'ui/request-display-mode': ({ mode }) => setMode(mode),
    'tools/call': ({ name, arguments: args }) => callTool(name, args),
  };

  async function answer(id: unknown, method: string, params: Json): Promise<void> {
    try {
      const run = methods[method];
      if (run === undefined) throw new Error(`unknown method: ${method}`);
      send({ id, result: await run(params) });
    } catch (error) {
      send({ id, error: { code: internalError, message: String(error) } });
    }
  }

  async function begin(): Promise<void> {
    notify('tool-input', { arguments: args });
    notify('tool-result', await callTool(tool, args));
  }

  window.addEventListener('message', ({ source, data }) => {
    if (source !== frame.contentWindow || !isObject(data) || typeof data.method !== 'string') return;
    const params = isObject(data.params) ? data.params : {};
    if ('id' in data) void answer(data.id, data.method, params);
    if (data.method === 'ui/notifications/initialized') void begin();
    if (data.method === 'ui/notifications/size-changed')
      frame.style.height = frame.classList.contains('full') ? '' : `${params.height}px`;
  });
}

function sectionOf(one: Shown): HTMLElement {
  const frame = element('iframe', { sandbox: 'allow-scripts', allow: 'clipboard-write', title: one.title });
  host(frame, one);
  frame.src = `${one.view}.html`;
  const call = element('code', {}, `${one.tool} ${JSON.stringify(one.args)}`);
  return element('section', {}, element('h2', {}, one.title), element('p', {}, call), frame);
}

const intro = 'Clients with MCP Apps, such as Claude, ChatGPT and VS Code, show these views in the conversation.';
const heading = element('h1', {}, 'academy-mcp: views with made-up data');
document.getElementById('view')?.append(heading, element('p', {}, intro), ...shown.map(sectionOf));
