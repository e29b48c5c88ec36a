import type { StudentRecord } from '../state/students.ts';
import type { Random } from './random.ts';

/** Something that a member may write. */
export interface WrittenText {
  readonly text: string;
  /** The id of the only thing that it can be about. */
  readonly about?: number;
  /** The only country where people write like this; without it, English. */
  readonly country?: string;
}

/** Where somebody is from shows in what they write. */
export type Writer = Pick<StudentRecord, 'location'>;

/** True where somebody says to be from that country. Nobody else writes in its language. */
export function livesIn({ location }: Writer, country: string): boolean {
  return location?.endsWith(`, ${country}`) === true;
}

/** One of the texts that this writer can have written about that thing: mostly one of its own, if there are such. */
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
  const own = fitting.filter((text) => text.about !== undefined || text.country !== undefined);
  return random.pick(own.length > 0 && random.chance(0.6) ? own : fitting);
}
