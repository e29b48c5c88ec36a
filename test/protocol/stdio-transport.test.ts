import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createStdioTransport } from '../../src/protocol/stdio-transport.ts';

test('answers to a slow reader all arrive, in order', async () => {
  const stdout = new PassThrough({ highWaterMark: 64 });
  const wire = createStdioTransport({ stdin: new PassThrough(), stdout, log: pino({ enabled: false }) }, () => {});
  const messages = Array.from({ length: 40 }, (_, id) => ({ id, text: 'x'.repeat(100) }));
  await Promise.all(messages.map((message) => wire.send(message)));
  stdout.end();
  expect(await text(stdout)).toBe(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
});

test('a long error of an SDK is cut, without its data', async () => {
  const stdout = new PassThrough();
  const wire = createStdioTransport({ stdin: new PassThrough(), stdout, log: pino({ enabled: false }) }, () => {});
  const quoted = 'x'.repeat(100_000);
  await wire.send({ jsonrpc: '2.0', id: 1, error: { code: -32603, message: quoted, data: quoted } });
  stdout.end();
  const { error } = JSON.parse(await text(stdout));
  expect(error).toEqual({ code: -32603, message: expect.stringMatching(/^x{3000,3500}…$/) });
});
