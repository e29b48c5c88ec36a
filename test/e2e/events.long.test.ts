import { spawnSync } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { at, rows } from '../support/academy.ts';
import { connectTo, startAccounts, tokens, variables } from '../support/accounts.ts';
import { type EraClient, eras } from '../support/eras.ts';
import { postEvent, webhookSecret } from '../support/events.ts';
import { startHttp } from '../support/http-server.ts';
import { program } from '../support/program.ts';
import { temporaryFile } from '../support/sandbox.ts';

async function names(client: EraClient): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

for (const era of eras) {
  test(`${era.name} over stdio watches the events that an HTTP server writes to a file`, async () => {
    const file = await temporaryFile('events.jsonl');
    const server = await startHttp({ ACADEMY_WEBHOOK_SECRET: webhookSecret, ACADEMY_EVENTS_FILE: file });
    const environment = {
      ACADEMY_BASE_URL: server.sandbox.url,
      ACADEMY_API_KEY: server.sandbox.apiKey,
      ACADEMY_EVENTS_FILE: file,
    };
    const client = await era.connect({ environment });
    expect(await names(client)).toContain('list_recent_events');
    const updates: string[] = [];
    await client.watch('academy://events', (uri) => updates.push(uri));
    const known = server.sandbox.academy.students.get(1);
    await postEvent(server.origin, 'new_student', { id: 1, name: known?.name, email: known?.email });
    await expect.poll(() => updates).toContain('academy://events');
    const events = async () => (await client.call('list_recent_events')).structuredContent?.events;
    await expect.poll(events).toMatchObject([{ event: 'new_student', check: 'verified', email: known?.email }]);
  });
}

test('over stdio, each account of an accounts file shows the events of its own file', async () => {
  const events = await temporaryFile('events.jsonl');
  const settings = { ACADEMY_WEBHOOK_SECRET: webhookSecret, ACADEMY_EVENTS_FILE: events };
  const { file, postTo, url } = await startAccounts({ settings });
  const south = await connectTo(url, tokens.south);
  const { structuredContent } = await south.call('list_students', {});
  const { email } = at(rows(structuredContent?.students), 0);
  const environment = { ACADEMY_ACCOUNTS_FILE: file, ACADEMY_EVENTS_FILE: events, ...variables };
  for (const [index, era] of [at(eras, 0), at(eras, eras.length - 1)].entries()) {
    const client = await era.connect({ environment });
    const eventsOf = async (account: string) =>
      (await client.call('list_recent_events', { account })).structuredContent;
    await postTo('south', 'new_student', { name: era.name, email });
    await expect.poll(async () => rows((await eventsOf('south'))?.events ?? []).length).toBe(index + 1);
    expect(await eventsOf('north')).not.toHaveProperty('events');
    expect(await eventsOf('south')).toMatchObject({
      events: expect.arrayContaining([expect.objectContaining({ email })]),
    });
    await client.close();
  }
});

test('over stdio there is no tool for events without a file, since nothing can be received', async () => {
  const { sandbox } = await startHttp();
  const environment = {
    ACADEMY_BASE_URL: sandbox.url,
    ACADEMY_API_KEY: sandbox.apiKey,
    ACADEMY_WEBHOOK_SECRET: webhookSecret,
  };
  const client = await eras[0]?.connect({ environment });
  expect(client === undefined ? [] : await names(client)).not.toContain('list_recent_events');
});

test('an events file that is a symbolic link ends the program with one line that names the setting', async () => {
  const file = await temporaryFile('events.jsonl');
  await writeFile(`${file}.target`, '');
  await symlink(`${file}.target`, file);
  const environment = {
    ACADEMY_BASE_URL: 'http://127.0.0.1:9',
    ACADEMY_API_KEY: 'never-used',
    ACADEMY_EVENTS_FILE: file,
  };
  const run = spawnSync(process.execPath, [program], { env: environment, input: '', encoding: 'utf8' });
  expect([run.status, run.stdout]).toEqual([1, '']);
  expect(run.stderr).toMatch(
    /^academy-mcp: ACADEMY_EVENTS_FILE cannot be read: it is a symbolic link; name the file itself\.\n$/,
  );
});
