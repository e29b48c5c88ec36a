import { expect, test } from 'vitest';
import { readClassList } from '../../../src/insights/enrollment/class-list.ts';

const zoe = [{ email: 'zoe@example.com', name: 'Zoë Müller', problem: undefined }];

test.for<[from: string, list: string | Uint8Array]>([
  ['Google Classroom', 'Last Name,First Name,Email Address\nMüller,Zoë,zoe@example.com\n'],
  ['Canvas users', 'user_id,login_id,full_name,email,status\n1,zoe1,Zoë Müller,zoe@example.com,active'],
  ['a Canvas gradebook', 'Student,ID,SIS Login ID,Section\n"Müller, Zoë",1,zoe@example.com,A'],
  ['Moodle', 'username,firstname,lastname,email\nzoe,Zoë,Müller,zoe@example.com'],
  ['Thinkific', 'first_name,last_name,user_email\nZoë,Müller,zoe@example.com'],
  [
    'semicolons in Windows-1252',
    Buffer.from('Nachname;Vorname;E-Mail\r\nM\xfcller;Zo\xeb;zoe@example.com\r\n', 'latin1'),
  ],
  ['quoted semicolons', '"E-Mail";"Name"\n"zoe@example.com";"Zoë Müller"'],
  ['tabs in UTF-16', Buffer.from('\ufeffName\tEmail\r\nZoë Müller\tzoe@example.com', 'utf16le')],
  ['UTF-8 with a byte order mark', Buffer.from('\ufeffEmail,Full name\nzoe@example.com,Zoë Müller')],
  ['Excel with its first line', 'sep=;\nEmail;Name\nzoe@example.com;Zoë  Müller'],
  ['no header', 'zoe@example.com,Zoë Müller'],
  ['a name of two lines', 'Email,Name\nzoe@example.com,"Zoë\nMüller"'],
  ['a last name called "Name"', 'Name;Vorname;E-Mail\nMüller;Zoë;zoe@example.com'],
  ['a last name called "Nom"', 'Nom;Prénom;Adresse e-mail\nMüller;Zoë;zoe@example.com'],
  ['a whole name beside its first part', 'Name,First name,Email\n"Müller, Zoë",Zoë,zoe@example.com'],
  ['addresses as mail programs write them', 'Email,Name\nZoë Müller <zoe@example.com>,Zoë Müller'],
  ['the same address twice', 'Email,User Email,Name\nzoe@example.com,zoe@example.com,Zoë Müller'],
])('reads a list of %s', ([, list]) => {
  expect(readClassList(list).entries).toMatchObject(zoe);
});

test('rows are numbered as a spreadsheet shows them, and wrong ones are quoted as written', () => {
  const list =
    'Email,Name,Status\n\na@example.com,Ann,active\nb@,Bo,\n,,\nc@example.com,Cy,deleted\nd@example.com,D,e,f\n,Di,';
  expect(readClassList(list)).toEqual({
    entries: [
      { number: 3, email: 'a@example.com', name: 'Ann' },
      { number: 4, email: 'b@', name: 'Bo', problem: 'not an email' },
      { number: 6, email: 'c@example.com, Cy, deleted', problem: 'deleted', isNobody: true },
      { number: 7, email: 'd@example.com, D, e, f', problem: 'has 4 cells, not 3' },
      { number: 8, email: ', Di,', problem: 'no address' },
    ],
    columns: 'address from "Email", name from "Name"',
  });
});

test.for<[list: string, why: RegExp]>([
  ['Email,Mail\na@example.com,b@example.com', /"Email" and "Mail" may each be the address/],
  ['Email,Name,Student\na@example.com,Ann,Bo', /"Name" and "Student" may each be the name/],
  ['Name,Phone\nAnn,1', /no column of the list has addresses: it begins with "Name,Phone"/],
  ['Login ID\nann', /no row has an address under "Login ID"/],
  ['Email\na@example.com\n"b@example.com\nc@example.com', /the quotes of row 3 of the list/],
  ['Email\n', /no rows/],
  ['Email,First name,Given name,Surname\na@example.com,A,B,C', /may each be/],
  ['email,name\nnot-an-address,Ann', /no row has an address|not an email/],
  ['a@example.com,A\u0000nn', /list/],
  ['PK\u0003\u00047', /list/],
  ['%PDF-1.7 7\u0001\u0002', /list/],
  ['{"students":[{"mail":7}]}', /list/],
  ['<table>\n<tr><td>7</td></tr>', /list/],
  [' \n,;\n', /is empty/],
])('refuses %j', ([list, why]) => {
  expect(() => readClassList(list)).toThrow(why);
});

test('no row is dropped, however many blank ones are between: above 10,000 the list is refused', () => {
  const rows = Array.from({ length: 10_000 }, (_, index) => `p${index}@example.com`);
  const { entries } = readClassList(['email', ...rows.join('\n\n').split('\n')].join('\n'));
  expect([entries.length, entries.at(-1)?.number]).toEqual([10_000, 20_000]);
  expect(() => readClassList(['email', ...rows, 'one@example.com'].join('\n'))).toThrow(/more than 10,000 rows/);
});
