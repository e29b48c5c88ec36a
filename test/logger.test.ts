import { expect, test } from 'vitest';
import { createLogger } from '../src/logger.ts';

function logged(write: (log: ReturnType<typeof createLogger>) => void, secrets: string[] = []): string {
  let text = '';
  write(createLogger('trace', secrets, { write: (line) => (text += line) }));
  return text;
}

test('no email reaches the log, in whatever field or message it stands', () => {
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

test('no secret reaches the log, also where JSON writes it in another way', () => {
  const text = logged(
    (log) => log.warn({ deep: { header: 'Bearer s3cret"key\\x' }, err: new Error('s3cret"key\\x') }, 's3cret"key\\x'),
    ['s3cret"key\\x'],
  );
  expect(text).not.toContain('s3cret');
  expect(text).toContain('[hidden]');
});
