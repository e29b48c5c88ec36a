import { chmod, readFile, symlink, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { type Act, type FaultServer, startFaultServer } from '../reliability/fault-server.ts';
import { linesOf, parseLines } from '../support/audit-lines.ts';
import { callOf, hello, messagesIn, start as startProgram } from '../support/program.ts';
import { start, temporaryFile } from '../support/sandbox.ts';

const enrolling = (number: number) =>
  callOf(number, 'enroll_student', { email: `s${number}@example.com`, name: `Student ${number}`, course_id: 1 });

async function startAcademy() {
  const sandbox = await start({ latencyMs: 5 });
  const between = await startFaultServer(sandbox.url);
  const file = await temporaryFile('audit.jsonl');
  const environment = {
    ACADEMY_BASE_URL: between.url,
    ACADEMY_API_KEY: sandbox.apiKey,
    ACADEMY_RATE_LIMIT: 'off',
    ACADEMY_AUDIT_LOG: file,
  };
  return { sandbox, between, file, environment };
}

test('the file contains complete lines of JSON during many writes', async () => {
  const { file, environment } = await startAcademy();
  const { child, written, send } = startProgram([], environment);
  send(...hello, ...Array.from({ length: 30 }, (_, index) => enrolling(index + 2)));
  const answered = () => messagesIn(written.stdout.slice(0, written.stdout.lastIndexOf('\n') + 1)).length;
  let looks = 0;
  let sawOpen = false;
  while (answered() < 31) {
    const lines = await linesOf(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      // Reading a file is not atomic: a read during a write may see half a line, and the next read the complete one.
      if (error instanceof SyntaxError) return linesOf(file);
      throw error;
    });
    sawOpen ||= lines.some(({ outcome }) => outcome === 'sent');
    looks += 1;
  }
  expect(looks).toBeGreaterThan(10);
  expect(sawOpen).toBe(true);
  const outcomes = async () => (await linesOf(file)).map(({ outcome }) => outcome);
  // The answer does not wait for the line of its outcome.
  await expect.poll(outcomes).toEqual(Array.from({ length: 30 }, () => 'applied'));
  child.stdin?.end();
});

/** Resolves when the server has received a write, which it never answers. */
function writeHeld(between: FaultServer): Promise<void> {
  return new Promise((resolve) => {
    const hold: Act = { at: 'body', act: () => resolve() };
    between.arm({ name: 'hold', fault: hold, match: (method) => method === 'POST' });
  });
}

test('kill -9 during a write keeps its line, and the next process appends after it', async () => {
  const { between, file, environment } = await startAcademy();
  const kills = 4;
  for (let kill = 1; kill <= kills; kill += 1) {
    const held = writeHeld(between);
    const { child, ended, send } = startProgram([], environment);
    send(...hello, enrolling(kill + 1));
    await held;
    child.kill('SIGKILL');
    await ended;
    const lines = (await readFile(file, 'utf8')).split('\n');
    expect(lines.at(-1)).toBe('');
    expect(parseLines(lines.join('\n')).map(({ outcome }) => outcome)).toEqual(
      Array.from({ length: kill }, () => 'sent'),
    );
  }
  const { child, written, send } = startProgram([], environment);
  send(...hello, enrolling(kills + 2));
  await expect.poll(() => written.stdout, { timeout: 60_000 }).toContain(`"id":${kills + 2}`);
  child.stdin?.end();
  expect((await linesOf(file)).map(({ outcome }) => outcome)).toEqual(['sent', 'sent', 'sent', 'sent', 'applied']);
});

test('an unwritable file, a symbolic link or a file that others may write to is a start-up error on one line that names the setting', async () => {
  const { file, environment } = await startAcademy();
  await writeFile(`${file}.open`, '');
  await chmod(`${file}.open`, 0o664);
  await symlink(`${file}.target`, `${file}.link`);
  for (const other of [`${file}.open`, `${file}.link`, '/dev/stderr', '/', `${import.meta.filename}/audit.jsonl`]) {
    const { code, stdout, stderr } = await startProgram([], { ...environment, ACADEMY_AUDIT_LOG: other }).ended;
    expect([code, stdout, stderr.trimEnd().split('\n').length]).toEqual([1, '', 1]);
    expect(stderr).toContain('ACADEMY_AUDIT_LOG');
  }
});
