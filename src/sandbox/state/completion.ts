import type { Academy } from './academy.ts';
import { heldCourses } from './held-products.ts';

interface Share {
  readonly done: number;
  readonly all: number;
}

/** Rounded down, so 100 means every published lesson. */
function percent({ done, all }: Share): number {
  return all === 0 ? 0 : Math.floor((done * 100) / all);
}

function shareOfCourse(academy: Academy, studentId: number, courseId: number): Share {
  const published = academy.lessons.publishedIds(courseId);
  let done = 0;
  for (const lesson of academy.progress.completed(studentId, courseId)) if (published.has(lesson)) done += 1;
  return { done, all: published.size };
}

/** 0 for a course that the student has no access to, even if they completed it before. */
export function courseCompletion(academy: Academy, studentId: number, courseId: number): number {
  const holds = heldCourses(academy, studentId).includes(courseId);
  return holds ? percent(shareOfCourse(academy, studentId, courseId)) : 0;
}

/** Over the published lessons of all courses that the student has access to. */
export function totalCompletion(academy: Academy, studentId: number): number {
  let done = 0;
  let all = 0;
  for (const course of heldCourses(academy, studentId)) {
    const share = shareOfCourse(academy, studentId, course);
    done += share.done;
    all += share.all;
  }
  return percent({ done, all });
}
