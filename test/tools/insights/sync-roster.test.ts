import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { row } from '../../support/academy.ts';
import { add, holdersIn, many, product, startClass, tool } from '../../support/class-academy.ts';
import { connect } from '../../support/connect.ts';
import { startGuarded } from '../../support/guarded.ts';
import { expectPlan, expectRefusal, requestsOf } from '../../support/refusal.ts';
import { temporaryFolder } from '../../support/sandbox.ts';

test('a file is compared with the class: counts and rows for those who come, names for those who go', async () => {
  const { sandbox, call, save, writes } = await startClass(['ann@x.example', 'old@x.example'], ['paid@x.example']);
  save('class.csv', 'Email Address,First Name,Last Name\nann@x.example,Ann,Lee\nnew@x.example,Noa,Neu\nbad@,B,B\n');
  const first = expectPlan(await call(tool, { product, file: 'class.csv' }));
  expect(first).toContain('The list: address from "Email Address", name from "First Name" and "Last Name".');
  expect(first).toMatch(/^To enroll: 1 student, 1 of them new\. Skipped: 1\. Not possible: 1\.$/m);
  expect(first).toContain('New: row 3.');
  expect(first).toContain('row 4 not an email: "bad@"');
  expect(first).toContain('Not on the list: 2 of 3 holders; they keep it.');
  expect(first).not.toMatch(/new@x|Noa/);
  // Whose a row is that cannot be read is not known.
  const stopped = expectPlan(await call(tool, { product, file: 'class.csv', remove: 'missing' }));
  expect(stopped).toContain('nobody can be removed while 1 row of the list cannot be used');
  expect(
    expectRefusal(await call(tool, { product, file: 'class.csv', remove: 'missing', confirm: true }), 'not_applied'),
  ).toContain('Correct or delete these rows');
  save('class.csv', 'E-Mail;Name\r\nann@x.example;Ann Lee\r\nnew@x.example;Noa Neu\r\n');
  const plan = expectPlan(await call(tool, { product, file: 'class.csv', remove: 'missing' }));
  expect(plan).toMatch(/^To remove: 1 of 3 holders\.$/m);
  expect(plan).toMatch(/^ {2}old@x\.example "old" loses course 1: order \S+ \(granted, \d{4}-\d\d-\d\d\)\.$/m);
  expect(plan).toMatch(/Not on the list, but paid, so kept: 1: paid@x\.example \(order \S+\)\./);
  expect(writes()).toEqual([]);
  const { structured = {} } = await call(tool, { product, file: 'class.csv', remove: 'missing', confirm: true });
  expect(structured).toMatchObject({
    totals: { applied: 1, already_there: 1, removed: 1 },
    rows: { applied: '3', already_there: '2' },
    order_ids: { 'row 3': expect.stringMatching(/^\w+$/) },
    not_on_the_list: { 'old@x.example': 'removed' },
  });
  expect(structured.students).toBeUndefined();
  expect(holdersIn(sandbox)).toEqual(['ann@x.example', 'new@x.example', 'paid@x.example']);
  const sent = writes().length;
  const again = await call(tool, { product, file: 'class.csv', remove: 'missing', confirm: true });
  expect(again.structured?.totals).toEqual({ already_there: 2 });
  expect(writes()).toHaveLength(sent);
});

test('who paid is never removed: for the course, for a bundle that contains it, or after a grant', async () => {
  const { sandbox, call } = await startClass(['granted@x.example'], ['both@x.example']);
  add(sandbox, 'both@x.example', { courses: [1] });
  add(sandbox, 'bundle@x.example', { bundles: [1], courses: [1], amount: '99.00' });
  add(sandbox, 'wallet@x.example', { courses: [1], amount: '9.00', status: 'wallet_executed' });
  add(sandbox, 'gift@x.example', { bundles: [1], courses: [1] });
  const csv = 'email\nnobody@x.example';
  const plan = expectPlan(await call(tool, { product, csv, remove: 'missing' }));
  expect(plan).toMatch(/gift@x\.example "gift" loses course 1: order \S+ \(granted, [\d-]+, with bundle 1\)\.$/m);
  const { structured = {} } = await call(tool, { product, csv, remove: 'missing', confirm: true });
  expect(structured.not_on_the_list).toEqual({ 'granted@x.example': 'removed', 'gift@x.example': 'removed' });
  expect(holdersIn(sandbox)).toEqual(['both@x.example', 'bundle@x.example', 'wallet@x.example']);
});

test('a bundle stays with everybody who paid for anything, since its revocation may take that too', async () => {
  const { sandbox, call } = await startClass();
  add(sandbox, 'buyer@x.example', { courses: [3], amount: '49.00' });
  add(sandbox, 'buyer@x.example', { bundles: [2] });
  add(sandbox, 'granted@x.example', { bundles: [2], courses: [5] });
  add(sandbox, 'granted@x.example', { courses: [5] });
  const plan = expectPlan(await call(tool, { product: 'bundle 2', csv: 'email\nnobody@x.example', remove: 'missing' }));
  const lost = 'order \\S+ \\(granted, [\\d-]+, also loses course 5 "[^"]+"\\)';
  expect(plan).toMatch(new RegExp(`granted@x\\.example "granted" loses bundle 2: ${lost}, ${lost}\\.`));
  expect(plan).toMatch(/Not on the list, but a paid order could lose something, so kept: \d+: /);
  const asked = { product: 'bundle 2', csv: 'email\nnobody@x.example', remove: 'missing', confirm: true };
  expect((await call(tool, asked)).structured?.not_on_the_list).toEqual({ 'granted@x.example': 'removed' });
});

test('rows of people who left, and gradebook rows without a person, protect nobody from removal', async () => {
  const { sandbox, call } = await startClass(['ann@x.example', 'gone@x.example']);
  const rows = ['ann@x.example,Ann,active', 'gone@x.example,Gus,deleted', ',Points Possible,', ',"Student, Test",'];
  const asked = { product, csv: ['Email,Name,Status', ...rows].join('\n'), remove: 'missing' };
  const plan = expectPlan(await call(tool, asked));
  expect(plan).toMatch(/^ {2}gone@x\.example "gone" loses course 1/m);
  expect(plan).toContain('row 3 deleted: "gone@x.example, Gus, deleted"');
  const { structured = {} } = await call(tool, { ...asked, confirm: true });
  expect(structured.not_on_the_list).toEqual({ 'gone@x.example': 'removed' });
  expect(holdersIn(sandbox)).toEqual(['ann@x.example']);
});

test('who pays between the plan and their removal keeps it', async () => {
  const { sandbox, call, onPath } = await startClass(['a@x.example', 'b@x.example']);
  const paying = {
    at: 'body' as const,
    act: async ({ socket, work }: { socket: { destroy(): void }; work(): Promise<unknown> }) => {
      add(sandbox, 'a@x.example', { courses: [1], amount: '49.00' });
      await work();
      socket.destroy();
    },
  };
  onPath('/details', paying, 1);
  const asked = { product, csv: 'email\nnobody@x.example', remove: 'missing', confirm: true };
  const { structured = {} } = await call(tool, asked);
  expect(row(structured.not_on_the_list)['a@x.example']).toMatch(/^kept: they paid, by order/);
  expect(holdersIn(sandbox)).toEqual(['a@x.example']);
});

test('removals above 10% of the holders or 5 people need max_removals', async () => {
  const { sandbox, call, writes } = await startClass(many(8));
  const asked = { product, csv: 'email\ns0@example.com\ns1@example.com', remove: 'missing' };
  const plan = expectPlan(await call(tool, asked));
  expect(plan).toContain('6 of 8 holders would be removed, and at most 5 may be');
  expect(plan).toContain('Only if this is right: max_removals 6.');
  for (const email of many(8).slice(2)) expect(plan).toContain(email);
  expect(plan).not.toMatch(/confirm: true/);
  expectRefusal(await call(tool, { ...asked, confirm: true }), 'not_applied');
  expectRefusal(await call(tool, { ...asked, max_removals: 3, confirm: true }), 'not_applied');
  expect(writes()).toEqual([]);
  const { structured = {} } = await call(tool, { ...asked, max_removals: 6, confirm: true });
  expect(structured.totals).toEqual({ already_there: 2, removed: 6 });
  expect(holdersIn(sandbox)).toEqual(['s0@example.com', 's1@example.com']);
});

test('somebody with the same name and another address is left to a person, and not removed', async () => {
  const { sandbox, call } = await startClass(['ina.old@x.example', 'zoe@x.example']);
  const asked = { product, csv: 'Name,Email\nIna.OLD,ina.new@x.example\nBo,bo@x.example', remove: 'missing' };
  const plan = expectPlan(await call(tool, asked));
  expect(plan).toContain(
    'row 2 ina.new@x.example (ina.old@x.example has the same name and holds it: did the address change?)',
  );
  expect(plan).toContain('but doubtful, so kept: 1: ina.old@x.example');
  const { structured = {} } = await call(tool, { ...asked, confirm: true });
  expect(structured.totals).toEqual({ applied: 1, removed: 1, doubtful: 1 });
  expect(holdersIn(sandbox)).toEqual(['bo@x.example', 'ina.old@x.example']);
  await call(tool, { ...asked, include_doubtful: true, confirm: true });
  expect(holdersIn(sandbox)).toEqual(['bo@x.example', 'ina.new@x.example']);
});

test('base_version refuses a list or an academy that has changed, and names the difference', async () => {
  const { sandbox, call, save, writes } = await startClass(['ann@x.example']);
  save('a.csv', 'email,name\nann@x.example,Ann\nnew@x.example,Noa\n');
  const version = (text: string) => /base_version (\w{16})/.exec(text)?.[1];
  const base_version = version(expectPlan(await call(tool, { product, file: 'a.csv' })));
  add(sandbox, 'new@x.example', { courses: [1] });
  const changed = expectRefusal(
    await call(tool, { product, file: 'a.csv', base_version, confirm: true }),
    'stale_version',
  );
  expect(changed).toMatch(/row 3: to add .* -> already there/);
  save('a.csv', 'email,name\nann@x.example,Ann\nother@x.example,Olga\n');
  const others = await call(tool, { product, file: 'a.csv', base_version, confirm: true });
  expect(expectRefusal(others, 'stale_version')).toContain('the list names other people');
  expect(writes()).toEqual([]);
  const students = [{ email: 'third@x.example', name: 'Tom' }];
  const short = version(expectPlan(await call(tool, { product, students })));
  expectRefusal(
    await call(tool, { product, students: [{ email: 'ann@x.example' }], base_version: short, confirm: true }),
    'stale_version',
  );
  const { structured = {} } = await call(tool, { product, students, base_version: short, confirm: true });
  expect(structured.totals).toEqual({ applied: 1 });
});

test('several products are given and taken together', async () => {
  const { sandbox, call } = await startClass(['gone@x.example']);
  const asked = {
    products: ['course 1', 'course 3'],
    csv: 'email,name\nnew@x.example,Noa',
    remove: 'missing',
  };
  expect(expectPlan(await call(tool, asked))).toContain('For course 3');
  const { structured = {} } = await call(tool, { ...asked, confirm: true });
  expect(structured.totals).toEqual({ applied: 1, removed: 1 });
  const orders = sandbox.academy.orders.all().filter(({ user_email }) => user_email === 'new@x.example');
  expect(orders).toHaveLength(2);
  expectRefusal(await call(tool, { ...asked, product: 'course 1' }), 'invalid_input');
  expectRefusal(await call(tool, { product: 'digital_product 1', csv: 'email\na@x.example' }), 'invalid_input');
});

test('reading a whole class takes as many requests as its pages, and no list is read before it is valid', async () => {
  const { call, save, between } = await startClass(many(150));
  save('class.csv', ['email', ...many(150)].join('\n'));
  const answer = await call(tool, { product, file: 'class.csv' });
  expect(expectPlan(answer)).toContain('no student is left to enroll');
  // The course and its days of access, two pages of orders and four of students, and one more each that proves the total.
  expect(requestsOf(answer)).toBeLessThanOrEqual(10);
  const before = between.log.length;
  for (const csv of ['', 'a,b\n1,2', 'email,mail\na@x.example,b@x.example', 'email\n"a@x.example', 'email\nnobody']) {
    expect(expectRefusal(await call(tool, { product, csv }), 'invalid_input'), csv).toContain('Nothing was sent');
  }
  expect(between.log).toHaveLength(before);
});

test('a file is a regular file within the folder, of at most 5 MB', async () => {
  const { call, folder, save, between } = await startClass();
  const outside = join(temporaryFolder(), 'list.csv');
  writeFileSync(outside, 'email\na@x.example');
  symlinkSync(outside, join(folder, 'link.csv'));
  save('here.csv', 'email\na@x.example');
  symlinkSync('here.csv', join(folder, 'inside.csv'));
  for (const file of [
    'link.csv',
    outside,
    `../${outside}`,
    '..',
    '.',
    '',
    '/etc/passwd',
    'gone.csv',
    'a\0b',
    'here.csv/x',
  ]) {
    const text = (await call(tool, { product, file })).text;
    expect(text, file).toMatch(/^(not_found: ACADEMY_IMPORT_DIR has no file|invalid_input: file must)/);
    expect(text).not.toContain('a@x.example');
  }
  expect((await call(tool, { product, file: 'gone.csv' })).text).toContain('It has here.csv.');
  save('large.csv', Buffer.alloc(5_000_001, 'a'));
  expectRefusal(await call(tool, { product, file: 'large.csv' }), 'invalid_input');
  expect(between.log).toEqual([]);
  expect(expectPlan(await call(tool, { product, file: 'inside.csv' }))).toContain(
    'row 2 a@x.example (a new student needs a name)',
  );
  const { call: without } = await startGuarded({});
  expect(expectRefusal(await without(tool, { product, file: 'x.csv' }), 'invalid_settings')).toContain(
    'ACADEMY_IMPORT_DIR is not set',
  );
});

test('over HTTP no file is read', async () => {
  const { settings, folder, between } = await startClass();
  writeFileSync(join(folder, 'here.csv'), 'email\na@x.example');
  const program = await connect(settings, { linksExports: true });
  const { code, text } = await program.call(tool, { product, file: 'here.csv' });
  expect(code, text).toBe('forbidden');
  expect(between.log).toEqual([]);
});

test('a course that was taken off the order of its bundle is given again', async () => {
  const { sandbox, call } = await startClass();
  for (const email of many(3)) add(sandbox, email, { bundles: [1], courses: [1, 7], amount: '99.00' });
  add(sandbox, 'lost@x.example', { bundles: [1], courses: [1], amount: '99.00' });
  await call('revoke_course', { email: 'lost@x.example', name: 'lost', course_id: 1, confirm: true });
  const csv = ['email', ...many(3), 'lost@x.example'].join('\n');
  const { structured = {} } = await call(tool, { product, csv, confirm: true });
  expect(structured.totals).toEqual({ applied: 1, already_there: 3 });
  expect(holdersIn(sandbox)).toContain('lost@x.example');
});
