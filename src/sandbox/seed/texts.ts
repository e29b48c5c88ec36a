import json from './texts.json' with { type: 'json' };

// What the made-up academies are made of. The texts are in texts.json, a record a line; a product's id is its place in its list
// from 1, where none is given. What is "for machines" are prompt injections, as forums contain them: data like any other text.
//
// - `demand`: the sales of a course or bundle relative to others. There are twelve bundles, so that a channel can have more
//   attached offers than the API shows.
// - `sale` of a course: "draft" for an unpublished one, "bundles" for one that is sold only in bundles.
// - `lessons` and `ungrouped`, the lessons outside any module: separated by " | ".
// - `questionsAndAnswers`: the text below the syllabus of large courses, as long as real ones.
// - `about`: the id of the only course or project that a text fits. Without it, the text fits all.
// - `country`: the only country whose residents write in the language of a text. Without it, the text is English.
// - names of a country: "display~latin" adds the Latin spelling for emails.
// - `places`: "city/state/zip"; each # of the zip becomes a digit.
// - `group` of a channel: its place in `groupNames`, from 1. `offers`: ids of bundles.

export const texts = json;

type Texts = typeof json;
export type CourseText = Texts['courses'][number];
export type Country = Texts['countries'][number];

/** A text that a member may write. */
export interface WrittenText {
  readonly text: string;
  readonly about?: number;
  readonly country?: string;
}

export const lessonTitles = (line: string) => (line === '' ? [] : line.split(' | '));
