import type * as z from 'zod';
import type { lesson } from '../../contract/schemas/lesson.ts';
import type { LessonRecord } from '../state/lessons.ts';

/** A lesson as a course structure lists it. */
export function lessonSummary({ id, title, sequence, is_published, lesson_type }: LessonRecord) {
  return { id, title, sequence, is_published, lesson_type };
}

/** A lesson after its creation or update. */
export function lessonBody(record: LessonRecord): z.infer<typeof lesson> {
  return {
    id: record.id,
    course_id: record.course_id,
    module_id: record.module_id,
    title: record.title,
    content: record.content,
    sequence: record.sequence,
    is_published: record.is_published,
    lesson_type: record.lesson_type,
    points: record.points,
    learning_objective: record.learning_objective,
    video_embed: record.video_embed,
    video_url: record.video_url,
    release_day: record.release_day,
    requires_unlock: record.requires_unlock,
  };
}
