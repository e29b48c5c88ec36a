import type { AccountLister } from '../mcp/catalog.ts';
import { describeTool, type ToolDescription } from '../mcp/describe-tool.ts';
import { withAccountArgument } from './account-argument.ts';
import { templateOf } from './joint-resources.ts';

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
  // Some descriptions name the address of a resource.
  const description = templateOf(first.description.description);
  return { ...first.description, description, inputSchema, ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }) };
}

/** The tools as tools/list describes them. The enum of a tool's `account` has only accounts that allow the tool. */
export function describeJointTools(tools: JointTools, lister: AccountLister): ToolDescription[] {
  return [describeTool(lister), ...[...tools.values()].map(jointDescription)];
}
