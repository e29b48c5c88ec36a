import fc from 'fast-check';
import { expect, test } from 'vitest';
import { structureOf } from '../../../src/insights/outline/course.ts';
import { isTargetReached } from '../../../src/insights/outline/strategies.ts';
import { targetOf } from '../../../src/insights/outline/target.ts';
import { undoOf } from '../../../src/insights/outline/undo.ts';
import { lessonSummary } from '../../../src/sandbox/handlers/courses.ts';
import { type LessonRecord, Lessons, placeLesson, type SequenceMode } from '../../../src/sandbox/state/lessons.ts';
import { runsOf } from '../../support/long-form.ts';
import { cases } from './arbitrary.ts';
import { apply, type ModelApi, type ModelLesson } from './course-model.ts';

const courseId = 7;
const moduleIds = [1, 2];

function recordOf(lesson: ModelLesson): LessonRecord {
  return {
    ...lesson,
    course_id: courseId,
    content: null,
    lesson_type: 'Text',
    points: null,
    learning_objective: null,
    video_embed: null,
    video_url: null,
    release_day: null,
    requires_unlock: false,
  };
}

/** The lessons of the embedded academy, read and written like its handlers do. */
function academyOf(given: readonly ModelLesson[], mode: SequenceMode): ModelApi {
  const modules = moduleIds.map((id) => ({
    id,
    course_id: courseId,
    title: `M${id}`,
    sequence: id,
    is_published: true,
  }));
  const lessons = new Lessons(modules, given.map(recordOf));
  const shown = (moduleId: number | null) => lessons.siblings(courseId, moduleId).map(lessonSummary);
  return {
    read: () =>
      structureOf({
        modules: lessons.modulesOf(courseId).map((module) => ({ ...module, lessons: shown(module.id) })),
        ungrouped_lessons: shown(null),
      }),
    write: ({ lesson_id, sequence, ...changes }) => {
      const lesson = lessons.get(lesson_id);
      if (lesson === undefined) throw new Error(`no lesson ${lesson_id}`);
      lessons.update(lesson, changes);
      if (sequence !== undefined) placeLesson(lessons, lesson, sequence, mode);
    },
  };
}

test.each(['absolute', 'shift'] as const)(
  'the embedded academy reaches every target and its start again, with sequence %s',
  (mode) => {
    fc.assert(
      fc.property(cases({ maxLessons: 15, moduleIds, highest: 20 }), ({ start, target, changes }) => {
        const academy = academyOf(start.lessons, mode);
        const before = academy.read();
        const undo = undoOf(before, changes);
        apply(academy, target, changes);
        expect(isTargetReached(academy.read(), target, changes)).toBe(true);
        apply(academy, targetOf(academy.read(), undo), undo.lessons);
        expect(isTargetReached(academy.read(), targetOf(before, undo), undo.lessons)).toBe(true);
      }),
      { numRuns: runsOf(1000), seed: 9 },
    );
  },
);
