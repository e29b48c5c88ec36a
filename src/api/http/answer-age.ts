import type { Api } from '../api.ts';

/** For each answer of a cache on the way, how old it was, in milliseconds. */
const ages = new WeakMap<object, number>();

export function noteAge(answer: object, ageMs: number): void {
  if (ageMs > 0) ages.set(answer, ageMs);
}

/** How long before its arrival an answer was true, in milliseconds; 0 if the API itself gave it. */
export function ageOf(answer: object): number {
  return ages.get(answer) ?? 0;
}

/** The same API; `note` learns the age of each answer. */
export function notingAge({ call }: Api, note: (ageMs: number) => void): Api {
  return {
    call: async (...request) => {
      const answer = await call(...request);
      note(ageOf(answer));
      return answer;
    },
  };
}
