import type * as z from 'zod';
import type { assignmentAnswer, projectPost } from '../../contract/students.ts';
import { pageOf, requireStudent, type SectionHandlers } from '../handler.ts';
import type { Academy } from '../state/academy.ts';
import { isoTime } from '../state/collections.ts';
import { heldCourses, isSettled, totalCompletion } from '../state/held-products.ts';
import type { AnswerRecord, ProjectPostRecord } from '../state/students.ts';
import { orderBody, studentBody, withTitles } from '../views.ts';

/** API document: "Limits". */
const studentsPerPage = 50;

export const studentsHandlers: SectionHandlers<'students'> = {
  'students.listStudents': ({ page = 1 }, academy) => {
    const { rows, pages } = pageOf(academy.students.all(), page, studentsPerPage);
    return {
      students: rows.map((row) => studentBody(academy, row)),
      meta: { total_pages: pages, total_students: academy.students.size },
    };
  },

  'students.getStudentDetails': ({ email }, academy) => {
    const student = requireStudent(academy, email);
    const body = studentBody(academy, student);
    const paid = academy.orders.ofStudent(student.id).filter(isSettled);
    return {
      ...body,
      paying_student: student.paying_student,
      total_completion: body.completion_percent,
      lesson_views_count: student.lesson_views_count,
      lesson_completions_count: academy.progress.count(student.id),
      paid_orders: paid.toReversed().map((order) => orderBody(academy, order)),
      enrolled_courses: withTitles(academy.catalogue.courses, heldCourses(academy, student.id)),
    };
  },

  'students.listCompletedStudents': (_input, academy) => ({
    students: academy.students
      .all()
      .filter((student) => totalCompletion(academy, student.id) >= 100)
      .map((student) => studentBody(academy, student))
      .map((body) => ({ ...body, total_completion: body.completion_percent })),
  }),

  'students.listAssignmentAnswers': (_input, academy) => ({
    answers: academy.answers.all().map((row) => answerBody(academy, row)),
  }),

  'students.listProjectPosts': (_input, academy) => ({
    project_posts: academy.projectPosts.all().map((row) => projectPostBody(academy, row)),
  }),
};

function authorOf({ students }: Academy, id: number) {
  const student = students.get(id);
  return { student_id: id, name: student?.name ?? '', email: student?.email ?? '' };
}

function answerBody(academy: Academy, record: AnswerRecord): z.infer<typeof assignmentAnswer> {
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

function projectPostBody(academy: Academy, record: ProjectPostRecord): z.infer<typeof projectPost> {
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
