import type { Frame } from 'playwright-core';
import { expect } from 'vitest';
import type { Era, EraClient, Person } from '../support/eras.ts';
import { call } from '../support/sandbox.ts';
import { type OpenedView, openView, type ViewOptions } from './host/host.ts';
import { startServer } from './setup.ts';

export const course_id = 5;
/** The fourth lesson of the first module goes to the fourth place of the second one. */
export const move = { lesson_id: 1074, module_id: 219, position: 4 };
export const planned = { course_id, moves: [move] };

interface Structure {
  modules: { id: number; lessons: { id: number; title: string; is_published: boolean }[] }[];
  ungrouped_lessons: { id: number }[];
}

type Sandbox = Parameters<typeof call>[0];

/** The order of the lessons, read from the API without the server. */
export async function orderOf(sandbox: Sandbox): Promise<Record<string, number[]>> {
  const { body } = await call(sandbox, 'GET', `/api/v1/courses/${course_id}/lessons`);
  const { modules, ungrouped_lessons } = body as Structure;
  return Object.fromEntries([
    ...modules.map(({ id, lessons }) => [String(id), lessons.map((lesson) => lesson.id)]),
    ['none', ungrouped_lessons.map(({ id }) => id)],
  ]);
}

export const press = (frame: Frame, name: string | RegExp) => frame.getByRole('button', { name }).click();

/** The lessons of the side that the person edits, by module as it is shown. */
export function shownOrder(frame: Frame): Promise<Record<string, number[]>> {
  return frame.locator('ol[aria-label="After"] > li').evaluateAll((lines) => {
    const order: Record<string, number[]> = {};
    let list = 'none';
    for (const line of lines as HTMLElement[]) {
      if (line.dataset.module !== undefined) list = line.dataset.module;
      order[list] ??= [];
      if (line.dataset.lesson !== undefined) order[list]?.push(Number(line.dataset.lesson));
    }
    return order;
  });
}

/** A view of the course itself. */
export const structure = { tool: 'get_course_structure', args: { course_id } };

/** Opens the outline over a server of its own. */
export async function startOutline(
  options: Partial<ViewOptions> = {},
  settings: Record<string, string> = {},
  person?: Person,
  era?: Era,
) {
  const { client, sandbox } = await startServer({}, settings, person, era);
  return { client, sandbox, ...(await openOutline(client, options)) };
}

export async function openOutline(client: EraClient, options: Partial<ViewOptions> = {}): Promise<OpenedView> {
  const view = await openView({
    client,
    tool: 'plan_course_outline',
    args: planned,
    displayMode: 'fullscreen',
    ...options,
  });
  await view.frame.locator('ol[aria-label="After"], .facts').waitFor();
  return view;
}

export const isReady = (frame: Frame) =>
  expect.poll(() => frame.getByRole('button', { name: 'Apply', exact: true }).isEnabled());

/** Scrolls to the last line of the question: only then the button that agrees works. */
export async function readQuestion(frame: Frame): Promise<void> {
  await frame.locator('#agree').waitFor();
  await frame.locator('.scroller').evaluate((area) => area.scrollTo(0, area.scrollHeight));
}

/** Reads the question on the full screen, and agrees. */
export async function agree(frame: Frame): Promise<void> {
  await readQuestion(frame);
  await press(frame, /^Yes, apply now$/);
}

export async function applyAll(frame: Frame): Promise<void> {
  await isReady(frame).toBe(true);
  await press(frame, 'Apply');
  await agree(frame);
  await frame
    .getByText(/^(Applied|Undone) and verified/)
    .first()
    .waitFor();
}

export async function undoAll(frame: Frame): Promise<void> {
  await press(frame, 'Undo');
  await agree(frame);
  await frame
    .getByText(/^Undone and verified/)
    .first()
    .waitFor();
}
