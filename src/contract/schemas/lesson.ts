import * as z from 'zod';
import { describedOnce, flag, id, integer, text, title } from './input-fields.ts';
import { block, code, line } from './response-text.ts';

// API document: "Course structure", "Lesson input fields".

export const lessonSummary = z.object({
  id: z.int(),
  title: line('Lesson title'),
  sequence: z.int().describe('Position among the lessons of its module or course'),
  is_published: z.boolean(),
  lesson_type: code('Such as Text'),
});

export const courseModule = z.object({
  id: z.int(),
  title: line('Module title'),
  sequence: z.int(),
  is_published: z.boolean(),
  lessons: z.array(lessonSummary),
});

export const courseStructure = z.object({
  course: z.object({ id: z.int(), title: line('Course title'), is_challenge: z.boolean() }),
  modules: z.array(courseModule),
  ungrouped_lessons: z.array(lessonSummary).describe('Lessons outside any module'),
});

export const largestInteger = 2_147_483_647;

export const lessonInput = {
  content: describedOnce(text('Lesson body')).optional(),
  module_id: id('Module id, from get_course_structure; null for no module').nullable().optional(),
  is_published: describedOnce(flag('Whether students see the lesson')).optional(),
  lesson_type: title('Such as "Text"; other values are not documented').optional(),
  points: describedOnce(integer(0, largestInteger, 'Points for completing it')).optional(),
  sequence: integer(0, largestInteger, 'Written as is; whether others shift is not documented').optional(),
  learning_objective: describedOnce(text('What the student learns')).optional(),
  video_embed: text('HTML embed code, instead of video_url').optional(),
  video_url: describedOnce(text('URL of a video')).optional(),
  release_day: integer(0, largestInteger, 'Days from enrollment to opening').optional(),
  requires_unlock: describedOnce(flag('Whether it must be unlocked first')).optional(),
};

/** The document does not show the body of a created or updated lesson. These fields are a guess. */
export const lesson = lessonSummary.extend({
  course_id: z.int(),
  module_id: z.int().nullable(),
  content: block('Lesson body').nullable(),
  points: z.int().nullable(),
  learning_objective: block('What the student learns').nullable(),
  video_embed: block('HTML embed code of a video').nullable(),
  video_url: line('URL of a video').nullable(),
  release_day: z.int().nullable(),
  requires_unlock: z.boolean(),
});
