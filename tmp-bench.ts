import { setTimeout as sleep } from 'node:timers/promises';
import { openServer } from './test/bench/mcp-process.ts';
import { program } from './test/bench/programs.ts';
import { openSandbox } from './test/bench/sandbox-process.ts';
const ends: (() => unknown)[] = [];
const atEnd = (end: () => unknown) => void ends.push(end);
const { environment } = await openSandbox(['--orders', '200000', '--students', '50000', '--rate-limit', 'off'], atEnd as never);
const settings = { ...environment, ACADEMY_RATE_LIMIT: 'off', ACADEMY_MIRROR: 'memory' };
const server = await openServer({ file: program, environment: settings }, atEnd as never);
await server.request('tools/list');
let at = performance.now();
while (Object((await server.callTool('describe_data', {})).structured?.coverage).complete !== true) await sleep(500);
console.log('fill', performance.now() - at, server.memory());
for (const [tool, args] of [['sales_report', {}], ['sales_report', { period: 'last_30_days' }], ['find_buyers', { product: '1', product_type: 'course' }], ['find_buyers', { period: 'last_30_days', without: ['course 2'], products: ['course 1'] }], ['unpaid_orders', {}], ['list_students', { sort: 'points' }], ['sales_report', {}]] as const) {
  at = performance.now();
  const { text, structured } = await server.callTool(tool, args);
  console.log(tool, JSON.stringify(args), Math.round(performance.now() - at), 'ms', JSON.stringify(structured?.coverage ?? text.slice(0, 200)));
}
console.log(server.memory());
for (const end of ends.reverse()) await end();
