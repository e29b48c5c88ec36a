import { expect, test } from 'vitest';
import { at } from '../../support/academy.ts';
import { eras } from '../../support/eras.ts';
import { cancelOnTheWay, sharedSetups, ways } from '../../support/ways.ts';

const setupOf = sharedSetups();
const structure = 'academy://courses/{course_id}/structure';

for (const way of ways) {
  for (const era of eras) {
    const named = (what: string) => `${era.name} over ${way.name}: ${what}`;

    test(
      named('sees that there are resources, prompts and completions, and that their lists do not change'),
      async () => {
        const { client } = await setupOf(way, era);
        const { resources, prompts, completions } = client.capabilities() ?? {};
        expect([resources, prompts, completions]).toEqual([{ listChanged: false }, { listChanged: false }, {}]);
      },
    );

    test(named('lists the resources and reads one, which has the text of its tool'), async () => {
      const { client } = await setupOf(way, era);
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toEqual(['academy://account', 'academy://courses']);
      const { contents, _meta } = await client.read('academy://account');
      const { content } = await client.call('get_account');
      expect(contents).toEqual([{ uri: 'academy://account', mimeType: 'text/plain', text: content[0]?.text }]);
      expect(_meta).toHaveProperty(['academy/budget', 'requests'], 1);
    });

    test(named('lists the templates and reads one'), async () => {
      const { client } = await setupOf(way, era);
      const { resourceTemplates } = await client.listTemplates();
      expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain(structure);
      const { contents } = await client.read('academy://courses/1/structure');
      const { content } = await client.call('get_course_structure', { course_id: 1 });
      expect(at(contents, 0).text).toBe(content[0]?.text);
    });

    test(named('gets an error that names the unreadable resource'), async () => {
      const { client } = await setupOf(way, era);
      await expect(client.read('academy://nowhere')).rejects.toThrow(/Unknown resource: academy:\/\/nowhere/);
      await expect(client.read('academy://courses/99999/structure')).rejects.toThrow(/not_found: /);
    });

    test(named('gets a prompt with its arguments filled in'), async () => {
      const { client } = await setupOf(way, era);
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }) => name)).toContain('restructure_course');
      const { messages } = await client.getPrompt('restructure_course', { course: 'Oil painting' });
      expect(messages).toHaveLength(1);
      expect(at(messages, 0).content.text).toMatch(/^Help me to restructure the course "Oil painting"\.\n/);
      await expect(client.getPrompt('restructure_course')).rejects.toThrow(/invalid_input: course is required/);
    });

    test(named('completes the id of a course from its title'), async () => {
      const { client } = await setupOf(way, era);
      const { structuredContent } = await client.call('get_course', { course_id: 1 });
      const value = String(structuredContent?.title).toUpperCase();
      const ref = { type: 'ref/resource', uri: structure } as const;
      const { completion } = await client.complete({ ref, argument: { name: 'course_id', value } });
      expect(completion).toEqual({ values: ['1'], total: 1, hasMore: false });
    });

    test(named('cancels the read of a resource, and the next read is answered'), async () => {
      const { client, between } = await setupOf(way, era);
      const why = await cancelOnTheWay(between, (signal) => client.read('academy://account', { signal }));
      expect(String(why)).toContain('changed my mind');
      expect((await client.read('academy://account')).contents).toHaveLength(1);
    });
  }
}
