import { expect, test } from 'vitest';
import { toolsets } from '../../src/mcp/principal.ts';
import { tools } from '../../tools/index.ts';
import { instructionsFor } from '../../tools/instructions.ts';

const here = { sandbox: false, readOnly: false };

function instructionsOf(offers: (tool: (typeof tools)[number]) => boolean): string {
  return instructionsFor(tools.filter(offers), here);
}

/** The words of a text that are names of tools. */
function toolsNamed(text: string): string[] {
  return tools.flatMap(({ name }) => (new RegExp(`\\b${name}\\b`).test(text) ? [name] : []));
}

test('the instructions name find_buyers for buyers, and raw orders only if it is not offered', () => {
  const whole = instructionsOf(() => true);
  expect(toolsNamed(whole)).toEqual(expect.arrayContaining(['find_buyers', 'sales_report']));
  expect(whole).not.toContain('list_orders');
  const raw = instructionsOf(({ toolset }) => toolset !== 'insights');
  expect(raw).toContain('Who bought what: list_orders');
  expect(raw).not.toContain('find_buyers');
});

test('the instructions restructure a course by plan, and by single lessons only if no plan can be applied', () => {
  const whole = instructionsOf(() => true);
  expect(whole).toMatch(/restructure a course: .*plan_course_outline, .*apply_course_outline/);
  expect(whole).not.toContain('update_lesson');
  const raw = instructionsOf(({ name }) => name !== 'apply_course_outline');
  expect(raw).toMatch(/restructure a course: .*update_lesson/);
});

test('read-only instructions do not mention bulk enrollment', () => {
  expect(instructionsOf(() => true)).toContain('sync_roster');
  expect(instructionsOf(({ effect }) => effect === 'read')).not.toContain('sync_roster');
});

test('the instructions name only tools that are offered, for any toolsets', () => {
  for (const one of toolsets) {
    for (const other of toolsets) {
      const offered = tools.filter(({ toolset }) => toolset === one || toolset === other);
      const names = offered.map(({ name }) => name);
      expect(names, `${one}, ${other}`).toEqual(expect.arrayContaining(toolsNamed(instructionsFor(offered, here))));
    }
  }
});
