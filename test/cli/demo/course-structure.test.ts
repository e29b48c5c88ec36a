import { expect, test } from 'vitest';
import { changedLists, chooseMove, orderAfter, orderOf, structure } from '../../../src/cli/demo/changes.ts';

const lesson = (id: number) => ({ id, title: `Lesson ${id}` });

const course = structure.parse({
  modules: [
    { id: 1, title: 'Start', lessons: [lesson(11)] },
    { id: 2, title: 'Middle', lessons: [lesson(21), lesson(22)] },
    { id: 12, title: 'Empty' },
  ],
  ungrouped_lessons: [lesson(31)],
});

test('the last lesson of the first module with several goes after the first lesson of another list', () => {
  const { lesson, to, position } = chooseMove(course);
  expect([lesson.id, to.moduleId, position]).toEqual([22, 1, 2]);
});

test('a course without modules has no target for a move', () => {
  expect(() => chooseMove(structure.parse({ ungrouped_lessons: [lesson(1), lesson(2)] }))).toThrow('no lesson');
});

test('the order after a move has the lesson only in its new place', () => {
  expect(orderOf(course)).toEqual([[11], [21, 22], [], [31]]);
  expect(orderAfter(course, chooseMove(course))).toEqual([[11, 22], [21], [], [31]]);
});

test('the changed lists of a tree are shown, and the others are counted', () => {
  const tree = ['Module 1: Start', '  before', '    no lessons', 'Module 2: A: unchanged (3 lessons)'];
  expect(changedLists(tree)).toEqual([...tree.slice(0, 3), '(1 more parts of the course stay unchanged)']);
});
