// A thread that listens, forwards connections, and can be made deaf: while its event loop is blocked, nothing is
// accepted, and after the backlog is full the kernel drops new connections.
import { connect, createServer } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

const { target, gate } = workerData;
const server = createServer((socket) => {
  const onward = connect(target, '127.0.0.1');
  for (const [from, to] of [
    [socket, onward],
    [onward, socket],
  ]) {
    from.on('error', () => to.destroy());
    from.pipe(to);
  }
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => parentPort.postMessage(server.address().port));
parentPort.on('message', () => {
  parentPort.postMessage('deaf');
  Atomics.wait(gate, 0, 1);
});
