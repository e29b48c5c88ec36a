import { isObject } from '../shared/json.ts';
import { needsConsent } from './confirmation/policy.ts';
import type { ObjectSchema } from './input/json-schema.ts';
import type { Tool } from './tool.ts';

// Keys in `_meta` of a tool. Claude Code reads those of `anthropic/` from tools/list; other clients ignore them. It
// compares the flags with true.

/** Loads the tool at once if the client loads the others only when it finds them by search. */
const alwaysLoadKey = 'anthropic/alwaysLoad';

/** A person approves every call, even of a tool that they have allowed before. A client without a person refuses the call. */
export const interactionKey = 'anthropic/requiresUserInteraction';

/** The view that shows the answers, in clients with MCP Apps. */
export const uiKey = 'ui';

/** Replaces the client's limits of an answer: 50,000 characters and, more important, 25,000 tokens. At most 500,000. */
const maxResultKey = 'anthropic/maxResultSizeChars';

/** Characters. Larger than any answer (`maxAnswer`), and not smaller than the client's own limit. */
const maxResultChars = 50_000;

/** Whether answers may be long. The client would write a long one to a file, and show the model only its beginning. */
function hasRecords({ properties }: ObjectSchema): boolean {
  const fields = isObject(properties) ? Object.values(properties) : [];
  return fields.some((field) => isObject(field) && isObject(field.items) && field.items.type === 'object');
}

export function clientMetaOf(
  tool: Pick<Tool, 'alwaysLoad' | 'effect' | 'consent' | 'ui'>,
  output: ObjectSchema,
): Record<string, unknown> {
  return {
    ...(tool.alwaysLoad === true ? { [alwaysLoadKey]: true } : {}),
    ...(needsConsent(tool) ? { [interactionKey]: true } : {}),
    ...(tool.effect === 'read' && hasRecords(output) ? { [maxResultKey]: maxResultChars } : {}),
    ...(tool.ui === undefined ? {} : { [uiKey]: tool.ui }),
  };
}
