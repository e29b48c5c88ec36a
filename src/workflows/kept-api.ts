import type { Api } from '../api/api.ts';

/**
 * Saves the answers for the other replicas. `isElsewhere`: another replica has read the earlier parts, so its answers are
 * used, each once: a second read of the same page looks for changes.
 */
export function keepingAnswers(api: Api, isElsewhere: boolean): Api {
  const used = new Set<string>();
  return {
    call: (operation, input, options = {}) => {
      const key = `${operation.id} ${JSON.stringify(input)}`;
      const kept = isElsewhere && !used.has(key) ? 'use' : 'save';
      used.add(key);
      return api.call(operation, input, { ...options, kept });
    },
  };
}
