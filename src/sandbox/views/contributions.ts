import type * as z from 'zod';
import type { assignmentAnswer, projectPost } from '../../contract/students.ts';
import type { Academy } from '../state/academy.ts';
import type { AnswerRecord, ProjectPostRecord } from '../state/contributions.ts';
import { isoTime } from '../state/time.ts';

function authorOf({ students }: Academy, id: number) {
  const student = students.get(id);
  return { student_id: id, name: student?.name ?? '', email: student?.email ?? '' };
}

export function answerBody(academy: Academy, record: AnswerRecord): z.infer<typeof assignmentAnswer> {
  const lesson = academy.lessons.get(record.lesson_id);
  return {
    id: record.id,
    ...authorOf(academy, record.student_id),
    question: record.question,
    answer: record.answer,
    lesson: lesson?.title ?? '',
    lesson_id: record.lesson_id,
    course_id: lesson?.course_id ?? 0,
    created_at: isoTime(record.created_at),
  };
}

export function projectPostBody(academy: Academy, record: ProjectPostRecord): z.infer<typeof projectPost> {
  return {
    id: record.id,
    ...authorOf(academy, record.student_id),
    post: record.title,
    content: record.content,
    project_id: record.project_id,
    project: academy.catalogue.projects.get(record.project_id)?.title ?? '',
    created_at: isoTime(record.created_at),
  };
}
