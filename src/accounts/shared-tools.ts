import type { AccountLister } from '../mcp/catalog.ts';
import { describeTool, type ToolDescription } from '../mcp/describe-tool.ts';
import type { ObjectSchema } from '../mcp/input/json-schema.ts';
import { AcademyError } from '../shared/errors.ts';
import { firstOf, refuseInput } from '../shared/invalid-input.ts';
import { isObject, type Json } from '../shared/json.ts';
import type { Account } from './accounts.ts';

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

/** A tool as one account lists it. */
interface ListedBy {
  readonly account: string;
  readonly description: ToolDescription;
}

/** Tools by name, each with the accounts that list it. */
export type JointTools = ReadonlyMap<string, readonly [ListedBy, ...ListedBy[]]>;

/** The tools of several accounts, in the order of `names`. */
export function jointTools(
  names: readonly string[],
  accounts: readonly { readonly account: string; readonly tools: readonly ToolDescription[] }[],
): JointTools {
  const listed = accounts.flatMap(({ account, tools }) => tools.map((description) => ({ account, description })));
  const joint = new Map<string, [ListedBy, ...ListedBy[]]>();
  for (const name of names) {
    const [first, ...others] = listed.filter(({ description }) => description.name === name);
    if (first !== undefined) joint.set(name, [first, ...others]);
  }
  return joint;
}

function jointDescription(listed: readonly [ListedBy, ...ListedBy[]]): ToolDescription {
  const [first, ...others] = listed;
  const schemas = others.map(({ description }) => description.inputSchema);
  const inputSchema = withAccountArgument(
    [first.description.inputSchema, ...schemas],
    listed.map(({ account }) => account),
  );
  // What one account asks of a client, such as a person for each call, is asked for all.
  const meta = Object.assign({}, ...listed.map(({ description }) => description._meta));
  return { ...first.description, inputSchema, ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }) };
}

/** The tools as tools/list describes them. The enum of a tool's `account` has only accounts that allow the tool. */
export function describeJointTools(tools: JointTools, lister: AccountLister): ToolDescription[] {
  return [describeTool(lister), ...[...tools.values()].map(jointDescription)];
}

function reasonOf({ config }: Account, isWrite: boolean): string {
  if (isWrite && config.readOnly) return 'which is read-only';
  return `whose toolsets are ${config.toolsets?.join(', ') ?? 'all'}`;
}

/** Throws if an account does not allow a tool that another account of the caller allows. Nothing is sent. */
export function refuseAccount(
  allowed: NonNullable<ReturnType<JointTools['get']>>,
  account: string,
  accounts: readonly Account[],
  lacksEvents: boolean,
): void {
  const names = allowed.map((one) => one.account);
  const [first] = allowed;
  const refusing = accounts.find(({ name }) => name === account);
  if (names.includes(account) || refusing === undefined) return;
  const { name, annotations } = first.description;
  const isWrite = !annotations.readOnlyHint;
  const message = `${name} is not available in the account ${account}, ${lacksEvents ? 'which has no events' : reasonOf(refusing, isWrite)}`;
  throw new AcademyError(isWrite ? 'read_only' : 'forbidden', message, {
    hint: `It is available in ${namesShown(names)}.`,
    ...(isWrite ? { outcome: 'not_applied' } : {}),
  });
}
