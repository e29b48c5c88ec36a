import { AppBridge, buildAllowAttribute, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

// The page of a client, as the tests drive it: the host of MCP Apps around the official bridge. Bundled by host.ts.

type Context = NonNullable<ConstructorParameters<typeof AppBridge>[3]>['hostContext'];
type Capabilities = ConstructorParameters<typeof AppBridge>[2];
type Result = Parameters<AppBridge['sendToolResult']>[0];

export interface Opening {
  html: string;
  context: NonNullable<Context>;
  capabilities: Capabilities;
  permissions: Parameters<typeof buildAllowAttribute>[0];
}

declare global {
  interface Window {
    /** The server, through the test. */
    callServer(name: string, args: unknown): Promise<Result>;
    host: typeof host;
  }
}

let bridge: AppBridge | undefined;
let frame: HTMLIFrameElement | undefined;
/** The heights that the view reported. */
const heights: number[] = [];
/** What the view told the model. */
const told: string[] = [];
let context: NonNullable<Context> = {};

function resize(height: number | undefined): void {
  if (height === undefined || frame === undefined) return;
  heights.push(height);
  frame.style.height = context.displayMode === 'fullscreen' ? '100vh' : `${height}px`;
}

async function open(opening: Opening): Promise<void> {
  context = opening.context;
  heights.length = 0;
  told.length = 0;
  frame?.remove();
  frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.setAttribute('allow', buildAllowAttribute(opening.permissions));
  frame.setAttribute('style', 'border: 0; width: 100%; height: 300px; display: block');
  frame.title = 'view';
  document.body.append(frame);
  const view = frame.contentWindow;
  if (view === null) throw new Error('the frame has no window');
  bridge = new AppBridge(null, { name: 'test host', version: '1' }, opening.capabilities, { hostContext: context });
  const ready = new Promise<void>((resolve) => {
    if (bridge) bridge.oninitialized = () => resolve();
  });
  bridge.oncalltool = ({ name, arguments: args }) => window.callServer(name, args) as never;
  bridge.onsizechange = ({ height }) => resize(height);
  bridge.onupdatemodelcontext = async ({ content = [] }) => {
    told.push(...content.map((part) => ('text' in part ? String(part.text) : part.type)));
    return {};
  };
  bridge.onrequestdisplaymode = async ({ mode }) => {
    await change({ displayMode: mode });
    return { mode };
  };
  await bridge.connect(new PostMessageTransport(view, view));
  frame.srcdoc = opening.html;
  await ready;
}

async function change(changed: NonNullable<Context>): Promise<void> {
  context = { ...context, ...changed };
  resize(heights.at(-1));
  bridge?.setHostContext(context);
}

const host = {
  open,
  change,
  heights: () => [...heights],
  told: () => [...told],
  input: async (args: Record<string, unknown>) => bridge?.sendToolInput({ arguments: args }),
  result: async (result: Result) => bridge?.sendToolResult(result),
  cancel: async (reason: string) => bridge?.sendToolCancelled({ reason }),
};

window.host = host;
