import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { enroll, has } from '../support/journal.ts';
import { start, temporaryFile } from '../support/sandbox.ts';

/** The error message of a start. */
async function failure(options: SandboxOptions): Promise<string> {
  return start(options).then(
    () => 'it started',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

/** The id of a process that has ended. */
async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ['--eval', '']);
  await once(child, 'exit');
  return child.pid ?? 0;
}

test('a second sandbox on the same journal fails with one line, and the first continues', async () => {
  const data = await temporaryFile('journal.jsonl');
  const first = await start({ data });
  const message = await failure({ data });
  expect(message).toMatch(new RegExp(`^--data: process ${process.pid} has the journal open`));
  expect(message).not.toContain('\n');
  await enroll(first, 'ana');
  await first.close();
  expect(has(await start({ data }), 'ana')).toBe(true);
});

test('another path to the same file is the same lock', async () => {
  const data = await temporaryFile('journal.jsonl');
  await start({ data });
  const other = `${dirname(data)}/other.jsonl`;
  await symlink(data, other);
  expect(await failure({ data: other })).toMatch(/^--data: process \d+ has/);
});

test('a journal that another process has open is locked until that process is killed', async () => {
  const data = await temporaryFile('journal.jsonl');
  const script = `import { startSandbox } from './src/sandbox/index.ts';
    console.log((await startSandbox({ data: ${JSON.stringify(data)}, students: 20, orders: 40 })).url);`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script]);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  expect(await failure({ data })).toMatch(new RegExp(`^--data: process ${child.pid} has`));
  child.kill('SIGKILL');
  await once(child, 'exit');
  await start({ data });
});

test('if several sandboxes find the lock of a dead process, one of them starts', async () => {
  const data = await temporaryFile('journal.jsonl');
  await writeFile(`${data}.lock`, `${await deadProcess()}\n`);
  const answers = await Promise.all([1, 2, 3, 4].map(() => failure({ data })));
  expect(answers.filter((answer) => answer === 'it started')).toHaveLength(1);
  expect(await readFile(`${data}.lock`, 'utf8')).toBe(`${process.pid}\n`);
});

test('a stale lock with the id of this process is taken over', async () => {
  const data = await temporaryFile('journal.jsonl');
  await writeFile(`${data}.lock`, `${process.pid}\n`);
  await start({ data });
});

test('a lock without a process id is respected, and the error names the file to delete', async () => {
  const data = await temporaryFile('journal.jsonl');
  await writeFile(`${data}.lock`, '');
  expect(await failure({ data })).toContain(`delete ${data}.lock`);
});

test('the lock is removed when the sandbox closes or fails to start', async () => {
  const data = await temporaryFile('journal.jsonl');
  await (await start({ data })).close();
  await expect(stat(`${data}.lock`)).rejects.toThrow('ENOENT');
  expect(await failure({ data, seed: 9 })).toMatch(/^--data .*was written with seed 1/);
  await expect(stat(`${data}.lock`)).rejects.toThrow('ENOENT');
  await writeFile(data, 'nonsense\n');
  expect(await failure({ data })).toBe(`--data ${data}, line 1: not a line of a sandbox journal`);
  await expect(stat(`${data}.lock`)).rejects.toThrow('ENOENT');
});

test('an unusable file fails with one line that names the flag and the reason', async () => {
  const file = await temporaryFile('journal.jsonl');
  const folder = dirname(file);
  await mkdir(`${folder}/taken`);
  await writeFile(file, '');
  for (const [data, why] of [
    [`${folder}/none/journal.jsonl`, 'its folder does not exist'],
    [`${folder}/taken`, 'it is a folder'],
    [`${file}/journal.jsonl`, 'its folder is a file'],
  ] as const) {
    expect(await failure({ data })).toBe(`--data: cannot use ${data}: ${why}`);
  }
});
