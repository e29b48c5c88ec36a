import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createAsk } from '../../src/cli/demo/connection.ts';
import { serveViews } from '../../src/cli/demo.ts';

test('an answer that is an error ends the demo, and a preview for consent does not', async () => {
  const said: string[] = [];
  const answering = (text: string) => async () => ({
    content: [{ text }],
    isError: true,
    _meta: { 'academy/budget': { requests: 1 } },
  });
  const ask = (text: string) =>
    createAsk({ call: answering(text) }, (line) => said.push(line))('Take it away.', 'revoke_course', { course_id: 9 });
  await ask('confirmation_required: This takes course 9 away.\nNothing was changed.');
  expect(said).toEqual([
    '\nYou: Take it away.\n  → revoke_course(course_id: 9)',
    '    confirmation_required: This takes course 9 away.',
    '    Nothing was changed.',
    '    Cost: 1 API request',
  ]);
  await expect(ask('not_found: no such course')).rejects.toThrow('revoke_course answered not_found: no such course');
});

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
  const server = await serveViews({ connection, hostPage: async () => 'the page' });
  onTestFinished(() => server.close());
  expect(await statusOf(server.url, '//')).toBe(404);
  expect(await statusOf(server.url, '//:x/')).toBe(404);
  expect(await (await fetch(server.url)).text()).toBe('the page');
});
