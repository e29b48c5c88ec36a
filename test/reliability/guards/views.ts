import type { Guard } from './guard.ts';

const listed = ['test/e2e/eras/views.test.ts'];
const pages = ['test/scripts/pages.test.ts'];

/** The pages of MCP Apps, and who is offered them. */
export const viewGuards: readonly Guard[] = [
  {
    name: 'a client without MCP Apps sees no views among the resources',
    file: 'src/mcp/server-capabilities.ts',
    text: 'appsExtension in extensions ? [...resources, ...views] : [...resources]',
    instead: '[...resources, ...views]',
    tests: listed,
    only: 'over HTTP: sees no view',
  },
  {
    name: 'ACADEMY_UI=off removes the views',
    file: 'src/mcp/listing.ts',
    text: 'ui ? tool.description : withoutMeta(tool.description, uiKey)',
    instead: 'tool.description',
    tests: listed,
    only: 'ACADEMY_UI=off',
  },
  {
    name: 'the server declares the extension itself',
    file: 'src/mcp/server-capabilities.ts',
    text: '...(views.length > 0 ? { extensions: { [appsExtension]: {} } } : {}),',
    instead: '',
    tests: listed,
    only: 'over HTTP: sees the views',
  },
  {
    name: 'a view needs one of its tools',
    file: 'src/mcp/listing.ts',
    text: 'views.filter(({ uri }) => addresses.has(uri))',
    instead: 'views.filter(() => addresses.size > 0)',
    tests: listed,
    only: 'needs one of its tools',
  },
  {
    name: 'demo --open opens no browser in CI',
    file: 'src/cli/demo/open-browser.ts',
    text: 'if (CI) return undefined;',
    instead: '',
    tests: ['test/e2e/demo-open.test.ts'],
    only: 'only prints the address in CI',
  },
  {
    name: 'a page makes no request',
    file: 'scripts/pages.ts',
    text: `"default-src 'none'",`,
    instead: `"default-src *",`,
    tests: pages,
  },
  {
    name: 'only the script of a page runs in it',
    file: 'scripts/pages.ts',
    text: 'script-src $',
    instead: "script-src 'unsafe-inline' $",
    tests: pages,
  },
  {
    name: 'no text becomes markup',
    file: 'scripts/pages.ts',
    text: `"require-trusted-types-for 'script'",`,
    instead: '',
    tests: pages,
  },
  {
    name: 'a page has a size limit',
    file: 'scripts/pages.ts',
    text: 'if (bytes > maxPageBytes) {',
    instead: 'if (bytes < 0) {',
    tests: pages,
    only: 'too large',
  },
];
