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

function cursorLinks(name: string, start: Start): Links {
  const query = cursorQuery(name, start);
  return {
    link: `cursor://anysphere.cursor-deeplink/mcp/install?${query}`,
    page: `https://cursor.com/en/install-mcp?${query}`,
  };
}

function vsCodeLinks(entry: object): Links {
  const link = `vscode:mcp/install?${encodeURIComponent(JSON.stringify(entry))}`;
  return { link, page: `https://insiders.vscode.dev/redirect?url=${encodeURIComponent(link)}` };
}

/** `link` opens the client. `page` is a web page that does so: GitHub removes links to anything but the web. */
interface Links {
  readonly link: string;
  readonly page: string;
}

/** The links that install the program, by what the reader sees. */
export const installLinks: Readonly<Record<string, Links>> = {
  'Install in Cursor': cursorLinks('academy', forCursor),
  'Install in VS Code': vsCodeLinks({ name: 'academy', ...forVsCode, inputs }),
  'Try in Cursor with made-up data': cursorLinks('academy-sandbox', sandbox),
  'Try in VS Code with made-up data': vsCodeLinks({ name: 'academy-sandbox', ...sandbox }),
};

/** Links for a document that GitHub shows. */
export function installButtons(): string {
  return Object.entries(installLinks)
    .map(([text, { page }]) => `- [${text}](${page})`)
    .join('\n');
}

/** The links that open a client directly, for pages and messages that let them through. */
export function directLinks(): string {
  const lines = Object.entries(installLinks).map(([text, { link }]) => `${text}:\n${link}`);
  return `\`\`\`text\n${lines.join('\n\n')}\n\`\`\``;
}
