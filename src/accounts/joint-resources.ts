import type { Lists } from '../mcp/listing.ts';
import { RpcError } from '../mcp/rpc-error.ts';

const scheme = 'academy://';
/** The variable of the account in the templates of all accounts. */
const variable = '{account}';

/** What an account lists for a caller. */
export interface ListsOf {
  readonly account: string;
  readonly lists: Lists;
}

/** `academy://courses` of the account north is `academy://north/courses`. */
export function withAccount(uri: string, account: string): string {
  return uri.replace(scheme, `${scheme}${account}/`);
}

export function templateOf(uri: string): string {
  return withAccount(uri, variable);
}

/** Splits the account from an address or a template; undefined for any other address. */
export function splitUri(uri: string): { account: string; uri: string } | undefined {
  if (!uri.startsWith(scheme)) return undefined;
  const [account = '', ...rest] = uri.slice(scheme.length).split('/');
  return { account, uri: scheme + rest.join('/') };
}

/** Every address is listed for each account. A template is listed once, with the account as a variable. */
export function jointResources(all: readonly ListsOf[]): Pick<Lists, 'resources' | 'resourceTemplates'> {
  const resources = all.flatMap(({ account, lists }) =>
    lists.resources.map((one) => ({
      ...one,
      uri: withAccount(one.uri, account),
      name: `${account}_${one.name}`,
      title: `${one.title} (${account})`,
    })),
  );
  const templates = all.flatMap(({ lists }) => lists.resourceTemplates);
  const byUri = new Map(templates.map((one) => [one.uriTemplate, one]));
  const resourceTemplates = [...byUri.values()].map((one) => ({ ...one, uriTemplate: templateOf(one.uriTemplate) }));
  return { resources, resourceTemplates };
}

/** An error of an account's resource, with the address that the client sent. */
export function withSentUri(error: unknown, own: string, sent: string): unknown {
  if (!(error instanceof RpcError) || error.data === undefined) return error;
  return new RpcError(
    error.code,
    error.message.replace(own, () => sent),
    { uri: sent },
  );
}
