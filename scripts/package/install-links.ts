import { project } from './project.ts';

/** How a client starts the program. */
interface Start {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const npx: Start = { command: 'npx', args: ['-y', project.name] };
const sandbox: Start = { ...npx, args: [...npx.args, '--sandbox'] };

/** A new user begins without any risk. */
const readOnly = { ACADEMY_READ_ONLY: 'true' };

/** Cursor asks for nothing, but shows the entry before it is installed and lets people edit it. */
const forCursor: Start = {
  ...npx,
  env: { ACADEMY_BASE_URL: 'https://academy.example.com', ACADEMY_API_KEY: 'your-api-key', ...readOnly },
};

const inputs = [
  { type: 'promptString', id: 'academy-address', description: 'Address, such as https://academy.example.com' },
  { type: 'promptString', id: 'academy-key', description: 'API key of the academy', password: true },
];

const forVsCode: Start = {
  ...npx,
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: VS Code fills it in.
  env: { ACADEMY_BASE_URL: '${input:academy-address}', ACADEMY_API_KEY: '${input:academy-key}', ...readOnly },
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: VS Code fills it in.
};

function cursorQuery(name: string, start: Start): string {
  const config = Buffer.from(JSON.stringify(start)).toString('base64');
  return `name=${name}&config=${encodeURIComponent(config)}`;
}

function cursorPage(name: string, start: Start): string {
  return `https://cursor.com/en/install-mcp?${cursorQuery(name, start)}`;
}

function vsCodePage(entry: object): string {
  const link = `vscode:mcp/install?${encodeURIComponent(JSON.stringify(entry))}`;
  return `https://insiders.vscode.dev/redirect?url=${encodeURIComponent(link)}`;
}

/** Web pages that open a client: GitHub removes links to anything but the web. By what the reader sees. */
const pages: Readonly<Record<string, string>> = {
  'Install in Cursor': cursorPage('academy', forCursor),
  'Install in VS Code': vsCodePage({ name: 'academy', ...forVsCode, inputs }),
  'Try in Cursor with made-up data': cursorPage('academy-sandbox', sandbox),
  'Try in VS Code with made-up data': vsCodePage({ name: 'academy-sandbox', ...sandbox }),
};

/** README: the links that install the program. */
export function installButtons(): string {
  return Object.entries(pages)
    .map(([text, page]) => `- [${text}](${page})`)
    .join('\n');
}
