import { expect, test } from 'vitest';
import { createLogger } from '../../src/shared/logger.ts';

function logged(write: (log: ReturnType<typeof createLogger>) => void, secrets: string[] = []): string {
  let text = '';
  write(createLogger('trace', secrets, { write: (line) => (text += line) }));
  return text;
}

test('no email reaches the log in any field or message', () => {
  const text = logged((log) => {
    log.info(
      { user: { email: 'ana.lima+x@example.com' }, list: ['<bo@sub.example.org>'] },
      'for zoë@exämple.net: done',
    );
    log.error({ err: new Error('no order of ana.lima+x@example.com') }, 'failed');
  });
  expect(text).not.toMatch(/@(sub\.)?ex/);
  expect(text).toContain('[email]');
  expect(text).toContain('done');
});

test('no secret reaches the log, even if JSON escapes it', () => {
  const text = logged(
    (log) => log.warn({ deep: { header: 'Bearer s3cret"key\\x' }, err: new Error('s3cret"key\\x') }, 's3cret"key\\x'),
    ['s3cret"key\\x'],
  );
  expect(text).not.toContain('s3cret');
  expect(text).toContain('[hidden]');
});

test('a long text is cut and leaves no half of an email or secret', () => {
  const sentences = 'so it is, '.repeat(1_000);
  for (const before of [3_985, 3_990, 3_995, 4_000]) {
    const text = `${sentences.slice(0, before)} s3cret-s3cret ana.lima@example.com ${sentences}`;
    const line = logged(
      (log) => log.error({ err: new RangeError(text), deep: [{ text }] }, 'failed'),
      ['s3cret-s3cret'],
    );
    expect(line).not.toMatch(/s3cr|ana\.|lima/);
    expect(line).toContain('…');
    expect(line.length).toBeLessThan(20_000);
  }
});

test('an email is found among at signs and dots that are not emails', () => {
  const line = logged((log) =>
    log.info({ a: 'a@a@a@', b: '@x.org', c: 'x@y', d: 'to x@@y.org', e: 'a@b.c@' }, 'x@.y.z'),
  );
  expect(line).toContain('"a":"a@a@a@","b":"@x.org","c":"x@y","d":"to [email]","e":"[email]","msg":"[email]"');
});
