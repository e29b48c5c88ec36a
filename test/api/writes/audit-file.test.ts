import { execFileSync } from 'node:child_process';
import { appendFile, chmod, link, mkdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createAuditLog } from '../../../src/api/writes/audit-log.ts';
import { enrollStudent } from '../../../src/contract/access.ts';
import { SettingsError } from '../../../src/shared/errors.ts';
import { createKeyedHash } from '../../../src/shared/keyed-hash.ts';
import { linesOf, parseLines } from '../../support/audit-lines.ts';
import { temporaryFile } from '../../support/sandbox.ts';

const hash = createKeyedHash('a secret of the tests alone', 'student');
const attempt = (tool: string) => ({ operation: enrollStudent, input: { course_id: 7 }, tool, caller: 'test' });

function openLog(file: string) {
  const log = createAuditLog(file, hash);
  onTestFinished(() => log.end());
  return log;
}

test('processes that share a file lose no line', async () => {
  const file = await temporaryFile('audit.jsonl');
  const logs = [openLog(file), openLog(file), openLog(file)];
  const entries = Array.from({ length: 4 }, (_, round) =>
    logs.map((log, index) => log.open(attempt(`tool_${index}_${round}`))),
  ).flat();
  for (const entry of entries.toReversed()) entry.close('applied', 'r1');
  const lines = await linesOf(file);
  expect(new Set(lines.map(({ tool }) => tool)).size).toBe(entries.length);
  expect(lines.every(({ outcome }) => outcome === 'applied')).toBe(true);
});

test('no line is overwritten, even if another process shortens or extends the file', async () => {
  const file = await temporaryFile('audit.jsonl');
  const log = openLog(file);
  log.open(attempt('before')).close('applied', 'r1');
  await appendFile(file, '{"half of a line');
  const entry = log.open(attempt('after'));
  await appendFile(file, '{"half of another');
  entry.close('not_applied', undefined);
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  expect(lines.filter((line) => line.startsWith('{"half'))).toEqual(['{"half of a line', '{"half of another']);
  const whole = parseLines(lines.filter((line) => !line.startsWith('{"half')).join('\n'));
  expect(whole).toMatchObject([{ tool: 'before' }, { tool: 'after', outcome: 'not_applied' }]);
  await truncate(file, 0);
  log.open(attempt('anew')).close('applied', 'r2');
  expect(await linesOf(file)).toMatchObject([{ tool: 'anew', outcome: 'applied' }]);
});

test('only the owner can read and write a new file', async () => {
  const file = await temporaryFile('audit.jsonl');
  openLog(file);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

/** The message of the refusal; it must name the setting. */
function refusalOf(file: string): string {
  try {
    createAuditLog(file, hash).end();
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    expect(String(error)).toContain('ACADEMY_AUDIT_LOG cannot be written');
    return String(error);
  }
  return 'accepted';
}

test.each([0o620, 0o602, 0o666, 0o660, 0o622])(
  'a file that other users may write to is refused: mode %o',
  async (mode) => {
    const file = await temporaryFile('audit.jsonl');
    await writeFile(file, 'what was there\n');
    await chmod(file, mode);
    expect(refusalOf(file)).toContain('other users may change it');
    expect(await readFile(file, 'utf8')).toBe('what was there\n');
  },
);

test('a file that other users may only read is accepted, and so is a hard link', async () => {
  const file = await temporaryFile('audit.jsonl');
  await writeFile(file, '');
  await chmod(file, 0o644);
  await link(file, `${file}.link`);
  expect([refusalOf(file), refusalOf(`${file}.link`)]).toEqual(['accepted', 'accepted']);
});

test('a symbolic link is refused, and its target is not created', async () => {
  const file = await temporaryFile('audit.jsonl');
  await symlink(`${file}.target`, file);
  expect(refusalOf(file)).toContain('is a symbolic link');
  await expect(stat(`${file}.target`)).rejects.toThrow('ENOENT');
  await writeFile(`${file}.target`, '', { mode: 0o600 });
  expect(refusalOf(file)).toContain('is a symbolic link');
});

test('anything but a regular file is refused at once: a pipe, a device, a folder, a socket', async () => {
  const file = await temporaryFile('audit.jsonl');
  execFileSync('mkfifo', [`${file}.pipe`]);
  await mkdir(`${file}.folder`);
  const server = createServer().listen(`${file}.socket`);
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const devices = ['/dev/null', '/dev/full', '/dev/tty'];
  for (const other of [`${file}.pipe`, `${file}.folder`, `${file}.socket`, ...devices]) {
    expect(refusalOf(other), other).toContain('must be a regular file');
  }
  expect(refusalOf('/dev/stderr')).toContain('is a symbolic link');
});
