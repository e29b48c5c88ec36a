import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { row, rows } from '../support/academy.ts';
import { connectTo, keyOf, names, startAccounts, tokens } from '../support/accounts.ts';
import type { EraClient } from '../support/eras.ts';
import { call, temporaryFile } from '../support/sandbox.ts';

const soon = { timeout: 30_000, interval: 100 };

async function emailsOf(client: EraClient, args: { account?: string }): Promise<unknown[]> {
  const sql = "SELECT email FROM orders WHERE email LIKE '%@only.example.net'";
  const answer = await client.call('query_data', { sql, ...args });
  return rows(row(answer.structuredContent).rows).map(({ email }) => email);
}

async function whenComplete(client: EraClient, account: string): Promise<void> {
  const coverage = async () => row((await client.call('describe_data', { account })).structuredContent).coverage;
  await expect.poll(coverage, soon).toMatchObject({ complete: true });
}

test('each account has a mirror file of its own, which the first call opens, with the orders of no other account', async () => {
  const file = await temporaryFile('mirror.db');
  const { url, sandbox, drain } = await startAccounts({ settings: { ACADEMY_MIRROR: file } });
  for (const name of names) {
    const body = { email: `${name}@only.example.net`, name, course_id: 1 };
    await call({ ...sandbox, apiKey: keyOf(name) }, 'POST', `/${name}/api/v1/student/enroll`, body);
  }
  const both = await connectTo(url, tokens.both);
  for (const account of names) await both.call('get_account', { account });
  await expect.poll(() => names.every((name) => existsSync(`${file}.${name}`)), soon).toBe(true);
  for (const name of names) await whenComplete(both, name);
  for (const name of names) {
    expect(await emailsOf(both, { account: name })).toEqual([`${name}@only.example.net`]);
    expect(await emailsOf(await connectTo(url, tokens[name]), {})).toEqual([`${name}@only.example.net`]);
  }
  await drain();
  expect((await readdir(dirname(file))).sort()).toEqual(['mirror.db.north', 'mirror.db.south']);
});
