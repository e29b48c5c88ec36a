import { quotable } from '../shared/clean-text.ts';
import { asValue } from '../shared/quote-text.ts';
import { type CallDependencies, type CallScope, callTool } from './call-tool.ts';
import type { Completes } from './completion.ts';
import { atMost } from './input/parse-input.ts';
import { invalidRequest, noResource, resourceError } from './rpc-error.ts';
import type { Tool } from './tool.ts';

/** A resource shows the answer of its tool, or an export: tools and resources share the presentation and the guards. */
export interface Resource {
  /** An address, or a template (RFC 6570, level 1) whose variables are arguments of the tool. */
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly tool: string;
  /** Arguments that are not in the address. */
  readonly input?: Record<string, unknown>;
  readonly completes?: Completes;
  /** Changes when an event arrives: clients can subscribe to it. A variable `event` is the name of the event. */
  readonly changesWithEvents?: true;
  /** Shows what its tool has exported. The variable `id` says which. */
  readonly isExport?: true;
}

/** Answers are in their text form, since only that marks untrusted text with fences. */
const typeOf = ({ isExport }: Resource) => (isExport ? 'text/csv' : 'text/plain');

const isTemplate = ({ uri }: Resource): boolean => uri.includes('{');

/** As a list shows it: a template has `uriTemplate` in place of `uri`. */
export interface ResourceDescription extends Pick<Resource, 'name' | 'title' | 'description'> {
  readonly uri?: string;
  readonly uriTemplate?: string;
  readonly mimeType: string;
}

export function describeResource(resource: Resource): ResourceDescription {
  const { uri, name, title, description } = resource;
  const address = isTemplate(resource) ? { uriTemplate: uri } : { uri };
  return { ...address, name, title, description, mimeType: typeOf(resource) };
}

/** In characters. Percent-encoding makes up to 1,800 characters of an argument of 200 letters. */
const maxAddress = 2_000;

/** The variables in an address; undefined if it does not match the template, whose other characters are none of a pattern. */
function variablesOf(template: string, uri: string): Record<string, string> | undefined {
  const found = new RegExp(`^${template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]*)')}$`).exec(uri);
  if (found === null) return undefined;
  try {
    const decoded = Object.entries(found.groups ?? {}).map(([name, part]) => [name, decodeURIComponent(part)]);
    return Object.fromEntries(decoded);
  } catch {
    return undefined;
  }
}

/** The result of a resources/read, as the protocol defines it. */
export interface ReadResult {
  contents: { uri: string; mimeType: string; text: string; _meta?: Record<string, unknown> }[];
  _meta: Record<string, unknown>;
}

const whyGone = 'An export can be read for one hour, and only by the caller who made it: make it again';

/** The text of an export. Throws `RpcError` for one that is gone, or of another caller: both look the same. */
async function readExport(
  uri: string,
  id: string,
  { exports }: CallDependencies,
  { caller, conversation }: CallScope,
): Promise<string> {
  const text = await exports.read(id, caller);
  if (text === undefined) throw noResource(uri, `Unknown export: ${asValue(quotable(uri, 200))}. ${whyGone}`);
  await conversation.load?.();
  conversation.hasUserContent = true;
  await conversation.save?.();
  return text;
}

/** Reads one of these resources. Throws `RpcError` for an unknown address and for a failure of the tool. */
export async function readResource(
  uri: string,
  offered: readonly Resource[],
  toolOf: (name: string) => Tool | undefined,
  dependencies: CallDependencies,
  scope: CallScope,
): Promise<ReadResult> {
  if (uri.length > maxAddress) throw invalidRequest(`uri ${atMost(maxAddress, 'string')}`);
  for (const resource of offered) {
    const variables = variablesOf(resource.uri, uri);
    const tool = variables && toolOf(resource.tool);
    if (tool === undefined) continue;
    const mimeType = typeOf(resource);
    if (resource.isExport) {
      const text = await readExport(uri, variables?.id ?? '', dependencies, scope);
      return { contents: [{ uri, mimeType, text }], _meta: {} };
    }
    const { result, error } = await callTool(tool, { ...resource.input, ...variables }, dependencies, scope);
    const text = result.content.map((part) => part.text).join('\n');
    if (error !== undefined) throw resourceError(uri, error.code, text);
    return { contents: [{ uri, mimeType, text }], _meta: result._meta };
  }
  throw noResource(uri);
}
