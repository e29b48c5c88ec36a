import type * as z from 'zod';
import type { course } from '../../contract/courses.ts';
import {
  definedFields,
  found,
  invalidParameter,
  requireCourse,
  requireStudent,
  type SectionHandlers,
} from '../handler.ts';
import type { CourseRecord } from '../seed/catalogue.ts';
import type { Academy } from '../state/academy.ts';
import { courseCompletion } from '../state/held-products.ts';
import { type LessonRecord, placeLesson, sequenceAfterOthers } from '../state/lessons.ts';
import { coverUrl } from '../state/products.ts';
import { studentBody } from '../views.ts';

export const coursesHandlers: SectionHandlers<'courses'> = {
  'courses.listCourses': (_input, { catalogue }) => ({
    courses: catalogue.courses
      .all()
      .filter((course) => course.is_published)
      .map(({ id, title, sold_separately, price }) => ({ id, title, sold_separately, price })),
  }),

  'courses.getCourse': ({ course_id }, academy) => courseBody(academy, requireCourse(academy, course_id)),

  'courses.listRoles': (_input, { catalogue }) => ({
    roles: catalogue.roles.all().map(({ id, name }) => ({ id, name })),
  }),

  'courses.getCourseCompletion': ({ course_id, user_email }, academy) => {
    const course = requireCourse(academy, course_id);
    const student = requireStudent(academy, user_email);
    const { location, facebook_link, twitter_link, ...shown } = studentBody(academy, student);
    return { ...shown, course_completion_percent: courseCompletion(academy, student.id, course.id) };
  },

  'courses.getCourseStructure': ({ course_id }, academy) => {
    const { id, title, is_challenge } = requireCourse(academy, course_id);
    const lessonsIn = (moduleId: number | null) => academy.lessons.siblings(id, moduleId).map(lessonSummary);
    return {
      course: { id, title, is_challenge },
      modules: academy.lessons.modulesOf(id).map(({ course_id: _course, ...module }) => ({
        ...module,
        lessons: lessonsIn(module.id),
      })),
      ungrouped_lessons: lessonsIn(null),
    };
  },

  'courses.createLesson': ({ course_id, title, sequence, ...fields }, academy) => {
    const { id: courseId } = requireCourse(academy, course_id);
    requireModule(academy, courseId, fields.module_id);
    const lesson = newLesson(academy, courseId, { title, ...definedFields(fields) });
    academy.lessons.add(lesson);
    if (sequence !== undefined) placeLesson(academy.lessons, lesson, sequence, academy.settings.sequence);
    return { lesson: { ...lesson } };
  },

  'courses.updateLesson': ({ lesson_id, sequence, ...changes }, academy) => {
    const lesson = found(academy.lessons.get(lesson_id), 'Lesson');
    requireModule(academy, lesson.course_id, changes.module_id);
    Object.assign(lesson, definedFields(changes));
    if (sequence !== undefined) placeLesson(academy.lessons, lesson, sequence, academy.settings.sequence);
    return { lesson: { ...lesson } };
  },
};

function requireModule({ lessons }: Academy, courseId: number, moduleId: number | null | undefined): void {
  if (moduleId === null || moduleId === undefined) return;
  if (lessons.modules.get(moduleId)?.course_id !== courseId)
    throw invalidParameter('module_id: not a module of this course');
}

/** Its fields are in the order of the response, as those of a seeded lesson. */
function newLesson({ lessons }: Academy, courseId: number, fields: Partial<LessonRecord>): LessonRecord {
  return {
    id: lessons.nextId(),
    course_id: courseId,
    module_id: null,
    title: '',
    content: null,
    sequence: sequenceAfterOthers(lessons, courseId, fields.module_id ?? null),
    is_published: false,
    lesson_type: 'Text',
    points: null,
    learning_objective: null,
    video_embed: null,
    video_url: null,
    release_day: null,
    requires_unlock: false,
    ...fields,
  };
}

function courseBody(academy: Academy, record: CourseRecord): z.infer<typeof course> {
  return {
    id: record.id,
    title: record.title,
    description: record.description,
    slug: record.slug,
    sold_separately: record.sold_separately,
    price: record.price,
    is_published: record.is_published,
    is_challenge: record.is_challenge,
    cover_image_url: coverUrl('courses', record.slug, 'large'),
    cover_image_thumbnail_url: coverUrl('courses', record.slug, 'thumbnail'),
    stock_photo_image_url: coverUrl('courses', record.slug, 'stock'),
    lesson_count: academy.lessons.ofCourse(record.id).length,
  };
}

function lessonSummary({ id, title, sequence, is_published, lesson_type }: LessonRecord) {
  return { id, title, sequence, is_published, lesson_type };
}
