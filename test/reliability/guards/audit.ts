import type { Guard } from './guard.ts';

const audit = ['test/audit.test.ts'];

/** What puts every write on record. */
export const auditGuards: readonly Guard[] = [
  {
    name: 'a write that was sent is finished when its call is cancelled',
    file: 'src/api/sender.ts',
    text: 'signal: write ? undefined : call.signal',
    instead: 'signal: call.signal',
    tests: audit,
    only: 'a call that is cancelled',
  },
  {
    name: 'the audit log has a line before a write leaves',
    file: 'src/api/sender.ts',
    text: 'write ? openEntry(operation, input, call) : undefined',
    instead: 'write ? { close: (...end) => openEntry(operation, input, call).close(...end) } : undefined',
    tests: audit,
    only: 'before its write leaves',
  },
  {
    name: 'a line of the audit log is completed',
    file: 'src/api/sender.ts',
    text: 'if (entry !== undefined) closeEntry(entry, outcome);',
    instead: '',
    tests: audit,
  },
  {
    name: 'a write that cannot be put on record is not sent',
    file: 'src/api/sender.ts',
    text: "return 'failed';",
    instead: 'return { close: () => {} };',
    tests: ['test/api/writes.test.ts'],
    only: 'cannot be put on record',
  },
  {
    name: 'the audit log names no student',
    file: 'src/audit.ts',
    text: '{ student: hashOf(email) }',
    instead: '{ student: email }',
    tests: audit,
  },
  {
    name: 'hashes of callers and students are keyed',
    file: 'src/keyed-hash.ts',
    text: "createHmac('sha256', key)",
    instead: "createHmac('sha256', '')",
    tests: audit,
    only: 'one hash under one secret',
  },
  {
    name: 'a student has the same hash in processes with the same API key',
    file: 'src/keyed-hash.ts',
    text: 'return confirmSecret ?? apiKey;',
    instead: 'return confirmSecret ?? String(Math.random() + apiKey.length);',
    tests: audit,
    only: 'without ACADEMY_CONFIRM_SECRET',
  },
];
