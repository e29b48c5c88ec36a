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

const structure = 'academy://courses/{course_id}/structure';

for (const way of ways) {
  for (const era of eras) {
    const named = (what: string) => `${era.name} over ${way.name}: ${what}`;
    const step = (what: string, work: (setup: Setup) => Promise<void>) =>
      test(named(what), async () => work(await setupOf(way, era)));

    step('uses its version, and reads the purpose of the server', async ({ client }) => {
      expect(client.version()).toBe(era.version);
      expect(client.serverName()).toBe('academy-mcp');
      expect(client.instructions()).toContain('untrusted');
    });

    step('lists the same tools as every other client', async ({ client }) => {
      const { tools } = await client.listTools();
      expect(tools).toHaveLength(ourTools.length);
      lists.add(JSON.stringify(tools.map(({ name, inputSchema, outputSchema }) => [name, inputSchema, outputSchema])));
      expect(lists.size).toBe(1);
    });

    step('gets both forms of an answer', async ({ client }) => {
      await client.listTools();
      const { content, structuredContent, isError } = await client.call('list_courses');
      expect(isError).toBeUndefined();
      expect(structuredContent?.courses).toEqual(expect.any(Array));
      expect(content[0]?.text).toContain('courses');
    });

    step('gets an error that names the wrong argument', async ({ client }) => {
      const { isError, content } = await client.call('get_course', { course_id: 1, colour: 'red' });
      expect(isError).toBe(true);
      expect(content[0]?.text).toMatch(/^invalid_input: .*colour/);
    });

    step('gets an error for an unknown tool', async ({ client }) => {
      await expect(client.call('drop_tables')).rejects.toThrow(/Unknown tool: drop_tables/);
    });

    step('must confirm a call that takes something away', async (setup) => {
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

    step('cancels a call, and the next one is answered', async ({ client, between }) => {
      const why = await cancelOnTheWay(between, (signal) => client.call('get_account', {}, { signal }));
      expect(String(why)).toContain('changed my mind');
      expect((await client.call('get_account')).isError).toBeUndefined();
    });

    step(
      'sees that there are resources, prompts and completions, and that their lists do not change',
      async ({ client }) => {
        const { resources, prompts, completions } = client.capabilities() ?? {};
        expect([resources, prompts, completions]).toEqual([{ listChanged: false }, { listChanged: false }, {}]);
      },
    );

    step('lists the resources and reads one, which has the text of its tool', async ({ client }) => {
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toEqual(['academy://account', 'academy://courses']);
      const { contents, _meta } = await client.read('academy://account');
      const { content } = await client.call('get_account');
      expect(contents).toEqual([{ uri: 'academy://account', mimeType: 'text/plain', text: content[0]?.text }]);
      expect(_meta).toHaveProperty(['academy/budget', 'requests'], 1);
    });

    step('lists the templates and reads one', async ({ client }) => {
      const { resourceTemplates } = await client.listTemplates();
      expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain(structure);
      const { contents } = await client.read('academy://courses/1/structure');
      const { content } = await client.call('get_course_structure', { course_id: 1 });
      expect(at(contents, 0).text).toBe(content[0]?.text);
    });

    step('gets an error that names the unreadable resource', async ({ client }) => {
      await expect(client.read('academy://nowhere')).rejects.toThrow(/Unknown resource: academy:\/\/nowhere/);
      await expect(client.read('academy://courses/99999/structure')).rejects.toThrow(/not_found: /);
    });

    step('gets a prompt with its arguments filled in', async ({ client }) => {
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }) => name)).toContain('restructure_course');
      const { messages } = await client.getPrompt('restructure_course', { course: 'Oil painting' });
      expect(messages).toHaveLength(1);
      expect(at(messages, 0).content.text).toMatch(/^Help me to restructure the course "Oil painting"\.\n/);
      await expect(client.getPrompt('restructure_course')).rejects.toThrow(/invalid_input: course is required/);
    });

    step('completes the id of a course from its title', async ({ client }) => {
      const { structuredContent } = await client.call('get_course', { course_id: 1 });
      const value = String(structuredContent?.title).toUpperCase();
      const ref = { type: 'ref/resource', uri: structure } as const;
      const { completion } = await client.complete({ ref, argument: { name: 'course_id', value } });
      expect(completion).toEqual({ values: ['1'], total: 1, hasMore: false });
    });

    step('cancels the read of a resource, and the next read is answered', async ({ client, between }) => {
      const why = await cancelOnTheWay(between, (signal) => client.read('academy://account', { signal }));
      expect(String(why)).toContain('changed my mind');
      expect((await client.read('academy://account')).contents).toHaveLength(1);
    });
  }
}
