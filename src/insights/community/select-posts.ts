import { composed } from '../../shared/clean-text.ts';

/** The fields of a post that people choose. */
interface Written {
  readonly content?: string | undefined;
  readonly topic?: { readonly title?: string | undefined } | undefined;
  readonly author?: { readonly name?: string | undefined; readonly slug?: string | undefined } | undefined;
}

const plain = (text: string | undefined) => composed(text ?? '').toLowerCase();

/** The words between "OR": a post needs one of them. Undefined if there is no "OR", so that the API can search. */
export function alternativesIn(query: string | undefined): string[] | undefined {
  const words = (query ?? '').split(/\sOR\s/).map((one) => one.trim().replace(/^"(.*)"$/, '$1'));
  const given = words.filter((one) => one !== '');
  return given.length > 1 ? given : undefined;
}

/** Whether a post has one of the words, in the fields that the API searches. */
export function hasOneOf({ content, topic }: Written, words: readonly string[]): boolean {
  const text = plain(`${content ?? ''}\n${topic?.title ?? ''}`);
  return words.some((word) => text.includes(plain(word)));
}

/** Whether the author has this slug, or a name with this part. */
export function isBy({ author }: Written, wanted: string): boolean {
  const own = plain(wanted.trim());
  return plain(author?.slug) === own || plain(author?.name).includes(own);
}
