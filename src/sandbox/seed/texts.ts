import json from './texts.json' with { type: 'json' };

// What the made-up academies are made of. The texts are in texts.json, a record a line; a product's id is its place in its list
// from 1, where none is given. What is "for machines" are prompt injections, as forums contain them: data like any other text.

/** The outline of a course or challenge. " | " separates the lessons of a line. */
export interface CourseText {
  readonly id: number;
  readonly isChallenge?: boolean;
  readonly title: string;
  readonly price: string;
  /** Its sales relative to other courses. */
  readonly demand: number;
  readonly pitch: string;
  readonly modules: readonly { readonly title: string; readonly lessons: string }[];
  /** Lessons outside any module. */
  readonly ungrouped: string;
  /** "draft": unpublished. "bundles": sold only in bundles. */
  readonly sale?: 'draft' | 'bundles';
  readonly daysOfAccess?: number;
}

/** A text that a member may write. */
export interface WrittenText {
  readonly text: string;
  /** The id of the only course or project that it fits. Without it, the text fits all. */
  readonly about?: number;
  /** The only country whose residents write in this language. Without it, the text is English. */
  readonly country?: string;
}

/** The country of a student. "display~latin" in a name adds the Latin spelling for emails. */
export interface Country {
  readonly name: string;
  readonly first: readonly string[];
  readonly last: readonly string[];
  /** "city/state/zip"; each # of the zip becomes a digit. */
  readonly places: readonly string[];
  readonly streets: readonly string[];
  readonly dialling: string;
}

interface BundleText {
  readonly title: string;
  readonly price: string;
  /** Its sales relative to other bundles. */
  readonly demand: number;
  readonly description: string;
  readonly courses: readonly number[];
  readonly digitalProducts: readonly number[];
  readonly isDraft?: boolean;
}

export interface ChannelText {
  readonly name: string;
  readonly description: string | null;
  /** Group id: its index in `groupNames`, from 1. */
  readonly group: number | null;
  readonly topics: readonly string[];
  readonly locked?: boolean;
  /** Bundle ids. */
  readonly offers?: readonly number[];
}

interface ProjectPostText extends WrittenText {
  readonly title: string;
}

interface Texts {
  /** Courses and challenges in the order of their ids. */
  readonly courses: readonly CourseText[];
  /** Text below the syllabus of large courses, as long as real ones. */
  readonly questionsAndAnswers: readonly string[];
  /** Twelve: so a channel can have more attached offers than the API shows. */
  readonly bundles: readonly BundleText[];
  readonly digitalProducts: readonly { title: string; price: string; description: string; isDraft?: boolean }[];
  /** `course` is the id of the course that the project belongs to. */
  readonly projects: readonly { title: string; description: string; course: number }[];
  readonly countries: readonly Country[];
  readonly channels: readonly ChannelText[];
  readonly postsInOtherLanguages: readonly Required<Pick<WrittenText, 'text' | 'country'>>[];
  /** The question at the end of a lesson, and answers that fit it. `about` is a course id. */
  readonly assignments: readonly { readonly question: string; readonly answers: readonly WrittenText[] }[];
  /** `about` is a project id. */
  readonly projectPosts: readonly ProjectPostText[];
}

// TypeScript reads the fixed words of JSON as any string.
export const texts = json as Omit<typeof json, keyof Texts> & Texts;

export function lessonTitles(line: string): string[] {
  return line === '' ? [] : line.split(' | ');
}
