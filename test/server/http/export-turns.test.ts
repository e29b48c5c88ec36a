import { expect, test } from 'vitest';
import { exportsAskedIn } from '../../../src/server/http/mcp-endpoint.ts';

test('the exports in a batch are counted', () => {
  const read = (uri: unknown) => ({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } });
  expect(exportsAskedIn(read('academy://exports/x'))).toBe(1);
  expect(
    exportsAskedIn([read('academy://north/exports/x'), read('academy://exports/y'), read('academy://account')]),
  ).toBe(2);
  for (const other of [null, 'x', [], [null, 1], read(undefined), { method: 'resources/read' }])
    expect(exportsAskedIn(other)).toBe(0);
});
