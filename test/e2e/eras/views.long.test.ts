import { expect, test } from 'vitest';
import { tools } from '../../../tools/index.ts';
import { at } from '../../support/academy.ts';
import { apps, type Era, type Extensions, eras } from '../../support/eras.ts';
import { startHttp } from '../../support/http-server.ts';
import { start } from '../../support/sandbox.ts';
import { type Way, ways } from '../../support/ways.ts';

const extension = 'io.modelcontextprotocol/ui';
const mimeType = 'text/html;profile=mcp-app';
const addresses = ['buyers', 'sales', 'outline'].map((name) => `ui://academy/${name}.html`);

async function connect(way: Way, era: Era, extensions?: Extensions, settings: Record<string, string> = {}) {
  const sandbox = await start({ rateLimit: 'off', students: 5, orders: 5 });
  const place = await way.place(sandbox);
  if ('environment' in place) Object.assign(place.environment, settings);
  return await era.connect(place, undefined, extensions);
}

for (const way of ways) {
  for (const era of eras) {
    const named = (what: string) => `${era.name} over ${way.name}: ${what}`;

    test(named('sees the views if it has MCP Apps, and can read each of them'), async () => {
      const client = await connect(way, era, apps);
      expect(client.capabilities()?.extensions).toEqual({ [extension]: {} });
      const { tools: listed } = await client.listTools();
      const shown = listed.flatMap(({ name, _meta = {} }) => ('ui' in _meta ? [[name, _meta.ui]] : []));
      expect(Object.fromEntries(shown)).toEqual({
        find_buyers: { resourceUri: 'ui://academy/buyers.html' },
        sales_report: { resourceUri: 'ui://academy/sales.html' },
        plan_course_outline: { resourceUri: 'ui://academy/outline.html' },
        get_course_structure: { resourceUri: 'ui://academy/outline.html' },
      });
      for (const uri of addresses) {
        const { contents } = await client.read(uri);
        const page = at(contents, 0);
        expect(page).toMatchObject({ uri, mimeType });
        expect(page._meta).not.toHaveProperty('ui.domain');
        expect(page.text).toMatch(/^<!doctype html>/);
      }
      // Without a session, a server of 2025-11-25 does not know what its client can do.
      const isKnown = !(way.name === 'HTTP without sessions' && era.version === '2025-11-25');
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri).filter((uri) => uri.startsWith('ui:'))).toEqual(isKnown ? addresses : []);
    });

    test(named('sees no view among the resources if it has no MCP Apps'), async () => {
      const client = await connect(way, era);
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toEqual(['academy://account', 'academy://courses']);
    });
  }
}

test('ACADEMY_UI=off removes every trace of the views', async () => {
  for (const era of eras) {
    const server = await startHttp({ ACADEMY_UI: 'off' });
    const client = await era.connect({ url: server.url }, undefined, apps);
    expect(client.capabilities()).not.toHaveProperty('extensions');
    expect(JSON.stringify(await client.listTools())).not.toContain('ui://');
    expect(JSON.stringify(await client.listResources())).not.toContain('ui://');
    await expect(client.read('ui://academy/buyers.html')).rejects.toThrow(/Unknown resource/);
  }
});

test('the outputs that a view shows have no anyOf, which stalls some clients', async () => {
  const client = await connect(at(ways, 0), at(eras, 0));
  const { tools: listed } = await client.listTools();
  const shown = new Set(tools.filter(({ ui }) => ui !== undefined).map(({ name }) => name));
  const schemas = listed.filter(({ name }) => shown.has(name)).map(({ outputSchema }) => outputSchema);
  expect(schemas).toHaveLength(4);
  expect(JSON.stringify(schemas)).not.toContain('anyOf');
  expect(JSON.stringify(schemas)).toContain(
    '"amount":{"type":["string","object"],"additionalProperties":{"type":"string"}}',
  );
});

test('a view needs one of its tools', async () => {
  const server = await startHttp({ ACADEMY_TOOLSETS: 'courses' });
  const client = await at(eras, 0).connect({ url: server.url }, undefined, apps);
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toContain('ui://academy/outline.html');
  expect(resources.map(({ uri }) => uri)).not.toContain('ui://academy/buyers.html');
  await expect(client.read('ui://academy/buyers.html')).rejects.toThrow(/Unknown resource/);
});
