import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { serveViews } from '../../../src/cli/demo.ts';

/** The status of a request for a path that is sent as it is. */
function statusOf(url: string, path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end();
  });
}

test('the server of the views answers 404 to paths that are no URL, and goes on', async () => {
  const none = () => Promise.reject(new Error('not asked for'));
  const connection = { call: none, readView: none };
  const server = await serveViews({ connection, hostPage: async () => 'the page' }, 0);
  onTestFinished(() => server.close());
  expect(await statusOf(server.url, '//')).toBe(404);
  expect(await statusOf(server.url, '//:x/')).toBe(404);
  expect(await (await fetch(server.url)).text()).toBe('the page');
});
