import type { Api } from '../api/api.ts';

/**
 * Keeps the answers for the other replicas. `isElsewhere`: another replica has read the parts before, so what it has kept
 * is used, each answer once: whoever reads it again wants to know what has changed.
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
