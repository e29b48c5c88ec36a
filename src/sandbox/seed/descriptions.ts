import { type CourseText, lessonTitles } from './texts/course-text.ts';
import { questionsAndAnswers } from './texts/questions-and-answers.ts';

const manyLessons = 35;

/** The pitch. The largest courses add a syllabus and answers to questions: over 4,000 characters. */
export function courseDescription(text: CourseText): string {
  const count = text.modules.reduce((sum, [, lessons]) => sum + lessonTitles(lessons).length, 0);
  if (count < manyLessons) return `${text.pitch}\n\n${contents(text, count)}`;
  return [text.pitch, 'What is inside', ...text.modules.map(syllabus), ...questionsAndAnswers].join('\n\n');
}

function contents({ modules }: CourseText, count: number): string {
  return `${count} lessons in ${modules.length} modules: ${modules.map(([title]) => title).join('; ')}.`;
}

function syllabus([title, lessons]: CourseText['modules'][number]): string {
  return [title, ...lessonTitles(lessons).map((lesson) => `- ${lesson}`)].join('\n');
}
