import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createStdioTransport } from '../../src/protocol/stdio-transport.ts';

test('answers to a slow reader all arrive in order and share one listener', async () => {
  const stdout = new PassThrough({ highWaterMark: 64 });
  const wire = createStdioTransport({ stdin: new PassThrough(), stdout, log: pino({ enabled: false }) }, () => {});
  const messages = Array.from({ length: 40 }, (_, id) => ({ id, text: 'x'.repeat(100) }));
  const sent = Promise.all(messages.map((message) => wire.send(message)));
  expect(stdout.listenerCount('drain')).toBe(1);

  const read = text(stdout);
  await sent;
  stdout.end();
  expect(await read).toBe(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
});
