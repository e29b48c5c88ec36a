import type { RepeatClass } from '../fault.ts';
import type { Maker } from '../operation.ts';
import { enroll, grantRole, resetProgress, revokeCourse, unenroll } from './access.ts';
import { createChannel, createLesson, updateChannel, updateProduct, updateRecord } from './content.ts';
import { getCourse, getCourseCompletion, listOrders } from './reads.ts';
import { applyOutline, bulkEnroll } from './wholes.ts';

/** The writes that are repeated in figure F7, each as often as its weight. */
export const writeMix: readonly { weight: number; make: Maker }[] = [
  { weight: 25, make: enroll },
  { weight: 22, make: createLesson },
  { weight: 15, make: createChannel },
  { weight: 23, make: updateRecord },
  { weight: 15, make: grantRole },
  { weight: 8, make: bulkEnroll },
  { weight: 5, make: applyOutline },
];

/** The writes of figure F8: sending one twice would duplicate it. */
export const creates: readonly Maker[] = [enroll, createLesson, createChannel, bulkEnroll];

/** The tools that represent each class. */
export const makers = {
  R: [getCourse, listOrders, getCourseCompletion],
  I: [updateProduct, updateChannel, revokeCourse, unenroll, applyOutline],
  N: [enroll, createLesson, createChannel, bulkEnroll],
  D: [resetProgress],
} as const satisfies Record<RepeatClass, readonly Maker[]>;
