import { expect, test } from 'vitest';
import { at } from '../support/academy.ts';
import { eras, type Person } from '../support/eras.ts';
import { agree, applyAll, isReady, move, orderOf, planned, press, readQuestion, startOutline } from './outline.ts';

test('the first press sends nothing: the server first says what a person agrees to', async () => {
  const { frame, calls, client, sandbox } = await startOutline({ displayMode: 'inline' });
  const before = await orderOf(sandbox);
  await press(frame, 'Apply');
  await frame.getByRole('heading', { name: 'Apply these changes?' }).waitFor();
  expect(calls.at(-1)?.args).not.toHaveProperty('confirm');
  expect(await orderOf(sandbox)).toEqual(before);
  const button = frame.getByRole('button', { name: 'Yes, apply now' });
  expect(await button.isEnabled()).toBe(false);
  const seen = await frame.locator('.facts li').allInnerTexts();
  await readQuestion(frame);
  await expect.poll(() => button.isEnabled()).toBe(true);
  const refusal = await client.call('apply_course_outline', calls.at(-1)?.args);
  for (const line of seen) expect(refusal.content[0]?.text).toContain(line.trim());
  expect(seen.some((line) => line.startsWith('Warning: 1 published lesson moves'))).toBe(true);
  await press(frame, 'Cancel');
  await frame.getByRole('button', { name: 'Apply' }).waitFor();
  expect(await orderOf(sandbox)).toEqual(before);
});

test('ACADEMY_CONFIRM=preview: the view shows the code, and sends it once the person agrees', async () => {
  const { frame, calls, sandbox } = await startOutline({}, { ACADEMY_CONFIRM: 'preview' });
  await press(frame, 'Apply');
  const code = await frame.locator('code').innerText();
  await readQuestion(frame);
  await frame.getByRole('button', { name: `Apply with code ${code}` }).dblclick();
  await frame
    .getByText(/^Applied and verified/)
    .first()
    .waitFor();
  expect(calls.filter(({ name }) => name === 'apply_course_outline').map(({ args }) => args.confirm)).toEqual([
    undefined,
    code,
  ]);
  expect((await orderOf(sandbox))['219']).toContain(move.lesson_id);
});

for (const era of [at(eras, 0), at(eras, 3)]) {
  test(`ACADEMY_CONFIRM=human: ${era.name} asks the person too, whose answer decides`, async () => {
    const answers: ReturnType<Person>[] = [{ action: 'decline' }, { action: 'accept', agree: true }];
    const asked: string[] = [];
    const person: Person = (question) => {
      asked.push(question);
      return answers[asked.length - 1] ?? { action: 'cancel' };
    };
    const { frame, sandbox } = await startOutline({}, { ACADEMY_CONFIRM: 'human' }, person, era);
    const before = await orderOf(sandbox);
    await press(frame, 'Apply');
    await agree(frame);
    await expect.poll(() => frame.getByRole('alert').innerText()).toMatch(/^declined: /);
    expect(await orderOf(sandbox)).toEqual(before);
    await applyAll(frame);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain('This changes the outline of course 5');
  });
}

test.each([
  ['ACADEMY_CONFIRM', 'block', 'ACADEMY_CONFIRM=block forbids this call'],
  ['ACADEMY_READ_ONLY', 'true', 'Unknown tool'],
])('%s=%s: the view shows that nothing can be applied, and nothing changes', async (name, value, says) => {
  const { frame, sandbox } = await startOutline({}, { [name]: value });
  const before = await orderOf(sandbox);
  await press(frame, 'Apply');
  await expect.poll(() => frame.getByRole('alert').innerText()).toContain(says);
  expect(await orderOf(sandbox)).toEqual(before);
});

test('the second press of a double click does not agree to what the first one brings up', async () => {
  const { frame, calls, sandbox } = await startOutline();
  const before = await orderOf(sandbox);
  await frame.evaluate(() => {
    const presses = new MutationObserver(() => document.getElementById('agree')?.click());
    presses.observe(document.body, { childList: true, subtree: true });
  });
  await press(frame, 'Apply');
  await readQuestion(frame);
  await expect.poll(() => frame.getByRole('button', { name: 'Yes, apply now' }).isEnabled()).toBe(true);
  expect(calls.filter(({ name }) => name === 'apply_course_outline')).toHaveLength(1);
  expect(await orderOf(sandbox)).toEqual(before);
});

for (const displayMode of ['inline', 'fullscreen'] as const) {
  test(`${displayMode}: the button works only once the person has scrolled to the last line`, async () => {
    const lessons = Array.from({ length: 25 }, (_, index) => ({
      lesson_id: 1071 + index,
      title: `Another title ${index}`,
    }));
    const { frame } = await startOutline({ args: { ...planned, lessons }, height: 400, displayMode });
    await isReady(frame).toBe(true);
    await press(frame, 'Apply');
    const button = frame.locator('#agree');
    await button.waitFor();
    await expect(button.click({ timeout: 2_000 })).rejects.toThrow(/not enabled/);
    await readQuestion(frame);
    await expect.poll(() => button.isEnabled()).toBe(true);
  });
}
