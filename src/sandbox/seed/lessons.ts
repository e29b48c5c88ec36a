import { type LessonRecord, Lessons, type ModuleRecord } from '../state/lessons.ts';
import { courseTexts } from './catalogue.ts';
import { createRandom, type Random } from './random.ts';
import { type CourseText, lessonTitles } from './texts/course-text.ts';
import { lessonContent } from './texts/lesson-content.ts';

// High enough that lessons, modules and courses share no id: a mix-up then ends in a 404.
const firstModuleId = 201;
const firstLessonId = 1001;

interface Draft {
  readonly modules: ModuleRecord[];
  readonly lessons: LessonRecord[];
  readonly random: Random;
}

/** Modules and lessons of all courses. Some sequences have gaps, some lessons are unpublished. */
export function seedLessons(): Lessons {
  const draft: Draft = { modules: [], lessons: [], random: createRandom('lessons') };
  for (const text of courseTexts) addCourse(draft, text);
  return new Lessons(draft.modules, draft.lessons);
}

function addCourse(draft: Draft, text: CourseText): void {
  let sequence = 0;
  for (const [title, lessons] of text.modules) {
    const id = firstModuleId + draft.modules.length;
    draft.modules.push({ id, course_id: text.id, title, sequence, is_published: !draft.random.chance(0.04) });
    sequence += draft.random.chance(0.1) ? 2 : 1;
    addLessons(draft, text.id, id, lessonTitles(lessons));
  }
  addLessons(draft, text.id, null, lessonTitles(text.ungrouped));
}

function addLessons(draft: Draft, courseId: number, moduleId: number | null, titles: readonly string[]): void {
  const { random } = draft;
  // Some lists start at 1, as if their first lesson had been deleted.
  let sequence = random.chance(0.15) ? 1 : 0;
  for (const title of titles) {
    draft.lessons.push(lessonOf(draft, { courseId, moduleId, title, sequence }));
    sequence += random.chance(0.08) ? random.integer(2, 4) : 1;
  }
}

interface NewLesson {
  readonly courseId: number;
  readonly moduleId: number | null;
  readonly title: string;
  readonly sequence: number;
}

function lessonOf({ lessons, random }: Draft, { courseId, moduleId, title, sequence }: NewLesson): LessonRecord {
  const id = firstLessonId + lessons.length;
  const hasVideo = random.chance(0.4);
  return {
    id,
    course_id: courseId,
    module_id: moduleId,
    title,
    content: lessonContent(title, random),
    sequence,
    is_published: !random.chance(0.06),
    lesson_type: 'Text',
    points: random.chance(0.7) ? random.pick([5, 10, 10, 20]) : null,
    learning_objective: random.chance(0.5) ? `Explain and use: ${title}` : null,
    video_embed: null,
    video_url: hasVideo ? `https://video.example.com/lessons/${id}` : null,
    release_day: random.chance(0.1) ? random.integer(1, 28) : null,
    requires_unlock: random.chance(0.08),
  };
}
