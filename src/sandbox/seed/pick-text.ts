import type { ProjectRecord } from '../state/catalogue.ts';
import type { StudentRecord } from '../state/students.ts';
import type { Random } from './random.ts';
import { type Country, texts, type WrittenText } from './texts.ts';

interface PersonName {
  readonly display: string;
  /** First and last name in plain Latin letters. */
  readonly latin: readonly [string, string];
}

export function pickName(country: Country, random: Random): PersonName {
  const first = spelled(random.pick(country.first));
  const last = spelled(random.pick(country.last));
  return { display: `${first.display} ${last.display}`, latin: [first.latin, last.latin] };
}

const domains = ['example.com', 'example.com', 'example.org', 'example.net', 'mail.example.com'];

/** One in ten emails has capitals. The student id makes the email of a namesake unique. */
export function emailOf(
  { latin }: PersonName,
  id: number,
  random: Random,
  isTaken: (email: string) => boolean,
): string {
  const domain = random.pick(domains);
  const plain = `${latin[0]}.${latin[1]}`;
  const local = isTaken(`${plain}@${domain}`) ? `${plain}${id}` : plain;
  return random.chance(0.1) ? `${capitalised(local)}@${capitalised(domain)}` : `${local}@${domain}`;
}

function capitalised(text: string): string {
  return text.replace(/(^|[.-])[a-z]/g, (match) => match.toUpperCase());
}

// Letters that Unicode does not decompose into a base letter and an accent.
const others: Readonly<Record<string, string>> = { ß: 'ss', ł: 'l', đ: 'd', ø: 'o', ı: 'i' };

function spelled(entry: string): { display: string; latin: string } {
  const [display = '', latin = display] = entry.split('~');
  const plain = latin.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
  return { display, latin: plain.replace(/[^a-z]/g, (letter) => others[letter] ?? '') };
}

/** The language of a text depends on the location of its author. */
export type Writer = Pick<StudentRecord, 'location'>;

/** True if the author's profile names that country. */
export function livesIn({ location }: Writer, country: string): boolean {
  return location?.endsWith(`, ${country}`) === true;
}

/** Picks a text that this author can have written about that course or project, preferably one written for it. */
function pickText<Text extends WrittenText>(
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

/** The share of contributions with a prompt injection. */
const injectionShare = 0.05;

/** A question, and this student's answer to it in a lesson of that course. */
export function answerText(student: StudentRecord, courseId: number, random: Random) {
  const { question, answers } = random.pick(texts.assignments);
  const isInjection = random.chance(injectionShare);
  const answer = isInjection
    ? random.pick(texts.answersForMachines)
    : pickText(answers, student, courseId, random).text;
  return { question, answer };
}

/** A post of this student in that project. */
export function projectPostText(student: StudentRecord, project: ProjectRecord, random: Random) {
  const isInjection = random.chance(injectionShare);
  const { title, text } = isInjection
    ? random.pick(texts.projectPostsForMachines)
    : pickText(texts.projectPosts, student, project.id, random);
  return { title, content: text };
}
