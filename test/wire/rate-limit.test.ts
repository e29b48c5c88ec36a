import { expect, test } from 'vitest';
import { courseBody } from './account-and-courses.ts';
import { expectError, problem } from './failure.ts';
import { expectFacts, perform } from './perform.ts';

const tooMany = (seconds: string) => ({
  status: 429,
  headers: { 'retry-after': seconds },
  body: problem('rate_limited', 'Slow down'),
});

test.each(['off', '60'])('a call waits for Retry-After after a 429, with the limit at %s', async (limit) => {
  const times: number[] = [];
  const reply = (_request: unknown, index: number) => {
    times.push(performance.now());
    return index === 0 ? tooMany('2') : { body: courseBody };
  };
  const { answer } = await perform('get_course', { course_id: 4711 }, reply, { ACADEMY_RATE_LIMIT: limit });
  expect(answer.isError, answer.text).toBe(false);
  expectFacts(answer, [4711]);
  const [first = 0, second = 0] = times;
  expect(times).toHaveLength(2);
  expect(second - first).toBeGreaterThan(1_500);
});

const impatient = [
  { tool: 'get_course', toolArguments: { course_id: 4711 } },
  { tool: 'create_channel', toolArguments: { name: 'Practice room' } },
].flatMap((one) => ['off', '60'].map((limit) => ({ ...one, limit })));

test.each(impatient)(
  'a 429 that would take too long answers rate_limited with the seconds: $tool, limit $limit',
  async ({ tool, toolArguments, limit }) => {
    const settings = { ACADEMY_MAX_WAIT_MS: '500', ACADEMY_RATE_LIMIT: limit };
    const performed = await perform(tool, toolArguments, tooMany('57'), settings);
    expectError(performed, 'rate_limited', []);
    expect(performed.answer.text).toMatch(/\b(5[6-9]|6[0-2]) s\b/);
    expect(performed.recorder.requests).toHaveLength(1);
  },
);

test.each(impatient)(
  'the error of a 429 has the message of the API and the request id: $tool, limit $limit',
  async (one) => {
    const settings = { ACADEMY_MAX_WAIT_MS: '500', ACADEMY_RATE_LIMIT: one.limit };
    const { answer } = await perform(one.tool, one.toolArguments, tooMany('57'), settings);
    for (const words of ['429', 'Slow down', 'req-7f3c1a']) expect(answer.text).toContain(words);
    expect(answer.text, 'a request did leave').not.toContain('Nothing was sent');
  },
);
