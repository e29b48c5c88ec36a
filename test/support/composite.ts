import { operations } from '../../src/contract/index.ts';
import { tools } from '../../tools/index.ts';
import { toolOf } from './every-call.ts';

const ofOperations = new Set(operations.map(toolOf));

/** The tool of each operation of the API. */
export const operationTools = tools.filter(({ name }) => ofOperations.has(name));

const compositeTools = tools.filter(({ name }) => !ofOperations.has(name));

/** Tools that answer a question with several operations. */
export const composites = compositeTools.map(({ name }) => name);

/** Those of them that write: their answers show the outcome of each part. */
export const compositeWrites = compositeTools.filter(({ effect }) => effect !== 'read').map(({ name }) => name);
