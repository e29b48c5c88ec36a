import { expect, test } from 'vitest';
import { tools as ourTools } from '../../../tools/index.ts';
import { at, rows } from '../../support/academy.ts';
import { type Era, eras, type Person } from '../../support/eras.ts';
import { cancelOnTheWay, type Setup, sharedSetups, type Way, ways } from '../../support/ways.ts';

/** Without sessions, the server cannot send requests to a client of the old era. */
function canAsk(way: Way, era: Era): boolean {
  return way.name !== 'HTTP without sessions' || era.version === '2026-07-28';
}

async function someone({ client }: Setup) {
  const { structuredContent } = await client.call('list_students');
  const { email, name } = at(rows(structuredContent?.students), 0);
  return { email: String(email), name: String(name) };
}

async function isPaying({ client }: Setup, email: string): Promise<unknown> {
  const { structuredContent } = await client.call('get_student_details', { email });
  return structuredContent?.paying_student;
}

const setupOf = sharedSetups();

/** The question to the person, and the answer. */
const asked: string[] = [];
let answer: ReturnType<Person> = { action: 'decline' };
const setupWithPerson = sharedSetups((question) => {
  asked.push(question);
  return answer;
});

const lists = new Set<string>();

for (const way of ways) {
  for (const era of eras) {
    const named = (what: string) => `${era.name} over ${way.name}: ${what}`;

    test(named('uses its version, and reads the purpose of the server'), async () => {
      const { client } = await setupOf(way, era);
      expect(client.version()).toBe(era.version);
      expect(client.serverName()).toBe('academy-mcp');
      expect(client.instructions()).toContain('untrusted');
    });

    test(named('lists the same tools as every other client'), async () => {
      const { client } = await setupOf(way, era);
      const { tools } = await client.listTools();
      expect(tools).toHaveLength(ourTools.length);
      lists.add(JSON.stringify(tools.map(({ name, inputSchema, outputSchema }) => [name, inputSchema, outputSchema])));
      expect(lists.size).toBe(1);
    });

    test(named('gets both forms of an answer'), async () => {
      const { client } = await setupOf(way, era);
      await client.listTools();
      const { content, structuredContent, isError } = await client.call('list_courses');
      expect(isError).toBeUndefined();
      expect(structuredContent?.courses).toEqual(expect.any(Array));
      expect(content[0]?.text).toContain('courses');
    });

    test(named('gets an error that names the wrong argument'), async () => {
      const { client } = await setupOf(way, era);
      const { isError, content } = await client.call('get_course', { course_id: 1, colour: 'red' });
      expect(isError).toBe(true);
      expect(content[0]?.text).toMatch(/^invalid_input: .*colour/);
    });

    test(named('gets an error for an unknown tool'), async () => {
      const { client } = await setupOf(way, era);
      await expect(client.call('drop_tables')).rejects.toThrow(/Unknown tool: drop_tables/);
    });

    test(named('must confirm a call that takes something away'), async () => {
      const setup = await setupOf(way, era);
      const student = await someone(setup);
      const { isError, content } = await setup.client.call('unenroll_student', student);
      expect(isError).toBe(true);
      expect(content[0]?.text).toMatch(/^confirmation_required/);
      expect(await isPaying(setup, student.email)).toBe(true);
    });

    if (canAsk(way, era)) {
      // The same student: a no changes nothing, and the yes takes the access away.
      test(named('asks its person, and changes nothing after a no'), async () => {
        const setup = await setupWithPerson(way, era);
        const student = await someone(setup);
        answer = { action: 'decline' };
        const { isError, content } = await setup.client.call('unenroll_student', { ...student, confirm: true });
        expect(isError).toBe(true);
        expect(content[0]?.text).toMatch(/^declined/);
        expect(await isPaying(setup, student.email)).toBe(true);
      });

      test(named('asks its person, and acts after a yes'), async () => {
        const setup = await setupWithPerson(way, era);
        const student = await someone(setup);
        asked.splice(0);
        answer = { action: 'accept', agree: true };
        const { isError } = await setup.client.call('unenroll_student', { ...student, confirm: true });
        expect(isError).toBeUndefined();
        expect(asked).toHaveLength(1);
        expect(asked[0]).toContain(student.email);
        expect(await isPaying(setup, student.email)).toBe(false);
      });
    }

    test(named('cancels a call, and the next one is answered'), async () => {
      const { client, between } = await setupOf(way, era);
      const why = await cancelOnTheWay(between, (signal) => client.call('get_account', {}, { signal }));
      expect(String(why)).toContain('changed my mind');
      expect((await client.call('get_account')).isError).toBeUndefined();
    });
  }
}
