import type { StudentRecord } from '../state/students.ts';
import type { Random } from './random.ts';

/** A text that a member may write. */
export interface WrittenText {
  readonly text: string;
  /** The id of the only course or project that it fits. Without it, the text fits all. */
  readonly about?: number;
  /** The only country whose residents write in this language. Without it, the text is English. */
  readonly country?: string;
}

/** The language of a text depends on the location of its author. */
export type Writer = Pick<StudentRecord, 'location'>;

/** True if the author's profile names that country. */
export function livesIn({ location }: Writer, country: string): boolean {
  return location?.endsWith(`, ${country}`) === true;
}

/** Picks a text that this author can have written about that course or project, preferably one written for it. */
export function pickText<Text extends WrittenText>(
  texts: readonly Text[],
  writer: Writer,
  about: number,
  random: Random,
): Text {
  const fitting = texts.filter(
    (text) =>
      (text.about === undefined || text.about === about) &&
      (text.country === undefined || livesIn(writer, text.country)),
  );
  const specific = fitting.filter((text) => text.about !== undefined || text.country !== undefined);
  return random.pick(specific.length > 0 && random.chance(0.6) ? specific : fitting);
}
