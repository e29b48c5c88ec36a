import type { Api } from '../api/api.ts';

/** An API that refuses writes: no event may cause one. */
export function readOnlyApi(api: Api): Api {
  return {
    call: async (operation, input, options) => {
      if (operation.effect !== 'read') throw new Error(`an event must not cause the write ${operation.id}`);
      return await api.call(operation, input, options);
    },
  };
}
