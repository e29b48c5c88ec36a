import { connect as connectSocket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { initialize, post, startHttp } from '../support/http-server.ts';

/** What the server answers to the beginning of a request that does not go on. */
async function answerTo(beginning: string, port: number): Promise<string> {
  const socket = connectSocket(port, '127.0.0.1');
  socket.write(beginning);
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}

test('S19: a request that does not come to its end is ended, in its headers sooner than in its body', {
  timeout: 60_000,
}, async () => {
  // A tenth of the ten and thirty seconds that requests have.
  const { url, port } = await startHttp({}, { pace: 0.1 });
  const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
  const rest = 'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{';
  const answers: string[] = [];
  const slowBody = answerTo(head + rest, port).then((answer) => answers.push(answer));
  answers.push(await answerTo(`${head}X-Slow: `, port));
  expect(answers).toHaveLength(1);
  await slowBody;
  for (const answer of answers) {
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\ncontent-type: application\/json/);
    expect(answer).toContain('\r\ncache-control: no-store\r\n');
  }
  expect((await post(url, initialize)).status).toBe(200);
});

test('S19: of more than 512 connections the last are closed', async () => {
  const { port } = await startHttp();
  let closed = 0;
  const sockets = Array.from({ length: 520 }, () => connectSocket(port, '127.0.0.1'));
  for (const socket of sockets) socket.on('error', () => {}).once('close', () => (closed += 1));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  await expect.poll(() => closed, { timeout: 5_000 }).toBe(8);
});
