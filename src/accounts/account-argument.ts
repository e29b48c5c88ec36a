import type { ObjectSchema } from '../mcp/input/json-schema.ts';
import { firstOf, refuseInput } from '../shared/invalid-input.ts';
import { isObject, type Json } from '../shared/json.ts';

const description = 'The academy of this call, by its name (list_accounts)';

/** Names in one error. The schema of the argument has all. */
const maxNames = 20;

/** `confirm` is a boolean or, with the policy `preview`, a code. Any other property is the same for every account. */
function jointProperty(variants: readonly unknown[]): unknown {
  const distinct = new Map(variants.map((variant) => [JSON.stringify(variant), variant]));
  return distinct.size === 1 ? variants[0] : { anyOf: [...distinct.values()] };
}

function propertiesOf({ properties }: ObjectSchema): Json {
  return isObject(properties) ? properties : {};
}

/**
 * The JSON Schema of a tool with the required argument `account`. `schemas` are those of the tool at each account, and
 * `names` the accounts that allow it.
 */
export function withAccountArgument(
  schemas: readonly [ObjectSchema, ...ObjectSchema[]],
  names: readonly string[],
): ObjectSchema {
  const [schema] = schemas;
  const own = Object.keys(propertiesOf(schema)).map((name) => {
    const variants = schemas.map((each) => propertiesOf(each)[name]).filter((variant) => variant !== undefined);
    return [name, jointProperty(variants)];
  });
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const account = { type: 'string', enum: names, description };
  return { ...schema, properties: { account, ...Object.fromEntries(own) }, required: ['account', ...required] };
}

/** Splits the account from the other arguments. Throws `invalid_input` if it is none of `names`. */
export function takeAccount(given: unknown, names: readonly string[]): { account: string; rest: Json } {
  const { account, ...rest }: Json = isObject(given) ? given : {};
  if (typeof account === 'string' && names.includes(account)) return { account, rest };
  throw refuseInput([`account ${account === undefined ? 'is required:' : 'must be'} one of ${namesShown(names)}`]);
}

export function namesShown(names: readonly string[]): string {
  return firstOf(names, maxNames, ', ');
}
