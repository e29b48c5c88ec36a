import { expect, test } from 'vitest';
import { parseAccountsFile } from '../../src/sandbox/accounts.ts';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { expectError, request, row } from '../support/academy.ts';
import { bearer, start, temporaryFile } from '../support/sandbox.ts';

const accounts = [
  { subdomain: 'north', apiKeys: ['north-1', 'north-2'], studentKeys: ['north-s'], rateLimit: 3 },
  { subdomain: 'south', apiKeys: ['south-1'], plan: 'academy' },
] satisfies SandboxOptions['accounts'];

const get = (url: string, key: string, path = '/api/v1/account') => request(url + path, 'GET', undefined, bearer(key));

const enrollAna = (url: string, key: string) =>
  request(`${url}/api/v1/student/enroll`, 'POST', { email: 'ana@example.com', name: 'Ana' }, bearer(key));
const ana = '/api/v1/students/details?email=ana@example.com';

test('the first account is at the root, and each account at its own path', async () => {
  const { url, accounts: listed } = await start({ accounts });
  expect(listed.map(({ url }) => url)).toEqual([`${url}/north`, `${url}/south`]);
  const nameAt = async (base: string, key: string) => row(row((await get(base, key)).body).account).subdomain;
  expect(await nameAt(url, 'north-1')).toBe('north');
  expect(await nameAt(`${url}/north`, 'north-2')).toBe('north');
  expect(await nameAt(`${url}/south`, 'south-1')).toBe('south');
});

test('a key works only for its own account', async () => {
  const { url } = await start({ accounts });
  expectError(await get(url, 'south-1'), 401);
  expectError(await get(`${url}/south`, 'north-1'), 401);
  expectError(await get(`${url}/south`, 'north-s'), 401);
  expectError(await get(`${url}/west`, 'north-1'), 404);
});

test('a write to one account does not change another', async () => {
  const { url } = await start({ accounts });
  expect((await enrollAna(`${url}/south`, 'south-1')).status).toBe(200);
  expect((await get(`${url}/south`, 'south-1', ana)).status).toBe(200);
  expectError(await get(url, 'north-1', ana), 404);
});

test('accounts without a seed have different data', async () => {
  const { url } = await start({ accounts });
  const north = await get(url, 'north-1', '/api/v1/students');
  expect(north.body).not.toEqual((await get(`${url}/south`, 'south-1', '/api/v1/students')).body);
});

test('each account has its own limit, shared by its root and its path', async () => {
  const { url } = await start({ accounts });
  expect((await get(url, 'north-1')).status).toBe(200);
  expect((await get(`${url}/north`, 'north-2')).status).toBe(200);
  expect((await get(`${url}/north`, 'north-s')).status).toBe(403);
  expectError(await get(url, 'north-1'), 429);
  expect((await get(`${url}/south`, 'south-1')).status).toBe(200);
});

test('one journal serves all accounts, and another account can be added later', async () => {
  const data = await temporaryFile('journal.jsonl');
  const first = await start({ data, accounts: accounts.slice(0, 1) });
  await enrollAna(first.url, 'north-1');
  await first.close();
  const second = await start({ data, accounts });
  await enrollAna(`${second.url}/south`, 'south-1');
  await second.close();
  const { url } = await start({ data, accounts });
  expect((await get(url, 'north-1', ana)).status).toBe(200);
  expect((await get(`${url}/south`, 'south-1', ana)).status).toBe(200);
});

test('an accounts file uses the snake case of the API', () => {
  const text = JSON.stringify([
    { subdomain: 'north', api_keys: ['k1'], student_keys: ['k2'], rate_limit: 'off', protected_courses: [3], seed: 9 },
  ]);
  const [account] = parseAccountsFile(text, 'accounts.json');
  const wanted = {
    subdomain: 'north',
    apiKeys: ['k1'],
    studentKeys: ['k2'],
    rateLimit: 'off',
    protectedCourses: [3],
    seed: 9,
  };
  expect(account).toEqual(wanted);
});

test.each([
  ['nonsense', 'accounts.json: is not JSON'],
  ['{}', 'accounts.json: must be a list of accounts'],
  ['[]', 'accounts.json: must contain at least one account'],
  ['[7]', 'accounts.json: [0]: must be an object'],
  ['[{"subdomain":"a"}]', 'accounts.json: [0].api_keys: must be a list of at least one key'],
  ['[{"subdomain":"a","api_keys":[]}]', 'accounts.json: [0].api_keys: must be a list of at least one key'],
  ['[{"subdomain":"a","api_keys":[7]}]', 'accounts.json: [0].api_keys[0]: must be text'],
  [
    '[{"subdomain":"a","api_keys":["k"],"students":"5"}]',
    'accounts.json: [0].students: must be a whole number from 0 to 100000',
  ],
  [
    '[{"subdomain":"a","api_keys":["k"],"protected_courses":[1,99]}]',
    'accounts.json: [0].protected_courses[1]: course 99 not found',
  ],
  ['[{"subdomain":"A b","api_keys":["k"]}]', 'accounts.json: [0].subdomain'],
  ['[{"subdomain":"api","api_keys":["k"]}]', 'accounts.json: [0].subdomain'],
  ['[{"subdomain":"a","api_keys":["k"],"plan":"free"}]', 'accounts.json: [0].plan: must be one of standard, academy'],
  ['[{"subdomain":"a","api_keys":["k"],"rate_limit":0}]', 'accounts.json: [0].rate_limit'],
  [
    '[{"subdomain":"a","api_keys":["k"]},{"subdomain":"b","api_keys":["l"],"keys":1}]',
    'accounts.json: [1]: unknown setting keys',
  ],
])('an invalid file fails with one line that names the field: %s', (text, says) => {
  const parse = () => parseAccountsFile(text, 'accounts.json');
  expect(parse).toThrow(says);
  expect(parse).not.toThrow('\n');
});

test.each([
  [
    'subdomain',
    [
      { subdomain: 'a', apiKeys: ['k'] },
      { subdomain: 'a', apiKeys: ['l'] },
    ],
  ],
  [
    'key',
    [
      { subdomain: 'a', apiKeys: ['k'] },
      { subdomain: 'b', apiKeys: ['l'], studentKeys: ['k'] },
    ],
  ],
])('a duplicate %s is rejected', async (what, accounts) => {
  await expect(start({ accounts })).rejects.toThrow(what);
});

test('an invalid option fails with one line that names it', async () => {
  await expect(start({ failRate: 2 })).rejects.toThrow('sandbox options: failRate: must be a number from 0 to 1');
  await expect(start({ students: -1 })).rejects.toThrow('students: must be a whole number from 0 to 100000');
  await expect(start({ protectedCourses: [9999] })).rejects.toThrow('protectedCourses[0]: course 9999 not found');
});
