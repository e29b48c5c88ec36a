import { cp, readdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, startServer } from '../support/package-client.ts';
import { callOf, hello, messagesIn, program, start } from '../support/program.ts';
import { start as startSandbox } from '../support/sandbox.ts';

async function academy() {
  const sandbox = await startSandbox({ students: 10, orders: 30 });
  return { ACADEMY_BASE_URL: sandbox.url, ACADEMY_API_KEY: sandbox.apiKey };
}

test('calls that come with the first message, at the same time, are all answered', async () => {
  const { ended, send, child } = start([], await academy());
  const ids = [2, 3, 4, 5];
  send(...hello, { id: 9, method: 'tools/list' }, ...ids.map((id) => callOf(id, 'get_account')));
  child.stdin?.end();
  const { code, stdout, stderr } = await ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const answers = messagesIn(stdout).filter(({ id = 0 }) => ids.includes(id));
  const texts = answers.map(({ result }) => JSON.stringify(result?.structuredContent));
  expect(texts).toHaveLength(ids.length);
  expect(new Set(texts).size).toBe(1);
});

test('the server answers initialize and the lists without the definitions of tools; a call without them is an internal error', async () => {
  const folder = await emptyFolder();
  await cp(dirname(program), folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const chunks = join(folder, 'chunks');
  const definitions = (await readdir(chunks)).filter((name) => /^(app|catalog)-/.test(name));
  expect(definitions).not.toEqual([]);
  const hidden = (name: string) => join(folder, name);
  await Promise.all(definitions.map((name) => rename(join(chunks, name), hidden(name))));

  const { client, call } = await startServer(process.execPath, [join(folder, 'main.js')], await academy());
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  expect((await client.listPrompts()).prompts.length).toBeGreaterThan(0);
  const [one, other] = await Promise.all([call('get_account'), call('update_lesson', { lesson_id: 1, title: 'X' })]);
  for (const answer of [one, other, await call('get_account')]) {
    expect(answer.isError).toBe(true);
    expect(answer.text).toMatch(
      /^internal: a part of the program could not be loaded\..* Nothing was sent or changed\.$/,
    );
    expect(answer.text).not.toContain(folder);
  }
  const reading = client.readResource({ uri: 'academy://account' });
  await expect(reading).rejects.toMatchObject({ code: -32603, message: expect.stringContaining('restart the server') });

  await Promise.all(definitions.map((name) => rename(hidden(name), join(chunks, name))));
  expect((await call('get_account')).isError).toBe(false);
});
