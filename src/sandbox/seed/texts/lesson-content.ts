import type { Random } from '../random.ts';

const openings = [
  'Before you start, close everything else.',
  'This one is short. Take it slowly anyway.',
  'We pick up where the last lesson stopped.',
  'You need what you made last time at hand.',
];
const middles = [
  'Watch the example once, then do it with your own material.',
  'Try it twice: once by the book, once the way you would do it.',
  'There are three steps, and the second is where most people slip.',
  'Keep your first attempt. You will want to compare.',
];
const endings = [
  'Write down one sentence about what changed.',
  'Post your result if you like, or keep it to yourself.',
  'If it did not work, the forum has a topic for this lesson.',
  'That is all. Rest before the next one.',
];

/** A few sentences of lesson body. */
export function lessonContent(title: string, random: Random): string {
  return `${title}\n\n${random.pick(openings)} ${random.pick(middles)}\n\n${random.pick(endings)}`;
}
