import type { ViewAddress } from './tool.ts';

/** The extension MCP Apps, version 2026-01-26: clients that have it show the pages of a server. */
export const appsExtension = 'io.modelcontextprotocol/ui';

/** Key in `_meta` of a tool: the view that shows the answers, in clients with MCP Apps. */
export const uiKey = 'ui';

/** Tells a client that the page speaks MCP Apps. */
const mimeType = 'text/html;profile=mcp-app';

/** A page that shows the answers of the tools whose `ui` has its address. */
export interface View {
  readonly uri: ViewAddress;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Whether it copies text to the clipboard, which the client has to allow. */
  readonly copies?: boolean;
  /** The whole page in one file. */
  readonly html: () => Promise<string>;
}

export type ViewDescription = ReturnType<typeof describeView>;

/** Claude refuses a view with a `domain` that it did not issue. Without `csp`, the client allows no request. */
function metaOf({ copies = false }: View) {
  return { ui: { prefersBorder: true, ...(copies ? { permissions: { clipboardWrite: {} } } : {}) } };
}

export function describeView(view: View) {
  const { uri, name, title, description } = view;
  return { uri, name, title, description, mimeType, _meta: metaOf(view) };
}

export async function readView(view: View) {
  return { contents: [{ uri: view.uri, mimeType, text: await view.html(), _meta: metaOf(view) }], _meta: {} };
}
