import { expect, test } from 'vitest';
import { excerpt, opening, placeOf, placesIn, planMove, structure } from '../../../src/cli/demo/structure.ts';

const lesson = (id: number, sequence: number) => ({ id, title: `Lesson ${id}`, sequence });

const course = structure.parse({
  modules: [
    { id: 1, title: 'Start', lessons: [lesson(11, 0)] },
    { id: 2, title: 'Middle', lessons: [lesson(21, 0), lesson(22, 5)] },
    { id: 12, title: 'Empty' },
  ],
  ungrouped_lessons: [lesson(31, 0)],
});

test('the last lesson of the first full module goes behind those of another place', () => {
  const { lesson, from, to, sequence } = planMove(course);
  expect([lesson.id, from.moduleId, to.moduleId, sequence]).toEqual([22, 2, 1, 1]);
});

test('a course without modules has nowhere to move a lesson to', () => {
  expect(() => planMove(structure.parse({ ungrouped_lessons: [lesson(1, 0), lesson(2, 1)] }))).toThrow('no lesson');
});

test('a lesson is found where it stands', () => {
  expect(placeOf(course, 22)?.moduleId).toBe(2);
  expect(placeOf(course, 31)?.moduleId).toBeNull();
  expect(placeOf(course, 99)).toBeUndefined();
});

test('an excerpt keeps the lines of the places asked for, and counts the rest', () => {
  const text = ['Course 1.', 'legend', 'Module 1 | Start', '  11', 'Module 12 | Empty', 'In no module:', '  31'].join(
    '\n',
  );
  const [start, , , ungrouped] = placesIn(course);
  if (start === undefined || ungrouped === undefined) throw new Error('the course has four places');
  expect(opening(text)).toEqual(['Course 1.', 'legend']);
  expect(excerpt(text, [start])).toEqual([
    'Module 1 | Start',
    '  11',
    '(2 more parts of the course are left out here)',
  ]);
  expect(excerpt(text, [start, ungrouped])).toContain('  31');
});
