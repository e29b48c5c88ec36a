import { isObject } from '../shared/json.ts';
import { maxCapabilitiesBytes } from './input-limits.ts';
import { isLarger } from './message-size.ts';

// Checks the params of a request before an SDK does: an SDK would answer with the whole output of its validator.
// Arguments of tools and prompts have limits of their own.

type Params = Record<string, unknown>;
type Check = (params: Params) => string | undefined;

const maxNameLength = 255;
const maxUriLength = 2_000;
/** For a request state, which is a code that the server issued, and for a version, which is a date. */
const maxTokenLength = 100;

function isText(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value.length <= maxLength;
}

function textProblem(name: string, value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string') return `${name} must be text`;
  return value.length > maxLength ? `${name} must have at most ${maxLength} characters` : undefined;
}

function initializeProblem({ protocolVersion, capabilities, clientInfo }: Params): string | undefined {
  const wrongVersion = textProblem('protocolVersion', protocolVersion, maxTokenLength);
  if (wrongVersion !== undefined) return wrongVersion;
  if (!isObject(capabilities)) return 'capabilities must be an object';
  if (isLarger(capabilities, maxCapabilitiesBytes)) {
    return `capabilities are larger than ${maxCapabilitiesBytes / 1024} KiB`;
  }
  // Their length does not matter: they are cut.
  const names = isObject(clientInfo) ? [clientInfo.name, clientInfo.version] : [undefined];
  return names.every((text) => typeof text === 'string') ? undefined : 'clientInfo must have a name and a version';
}

function callProblem({ name, arguments: args, requestState }: Params): string | undefined {
  if (!isText(name, maxNameLength)) return `name must be the name of a tool, of at most ${maxNameLength} characters`;
  const wrongState = requestState === undefined ? undefined : textProblem('requestState', requestState, maxTokenLength);
  if (wrongState !== undefined) return wrongState;
  return args === undefined || isObject(args) ? undefined : 'arguments must be an object';
}

const isTexts = (value: unknown) => isObject(value) && Object.values(value).every((entry) => typeof entry === 'string');

function promptProblem({ name, arguments: args }: Params): string | undefined {
  const wrongName = textProblem('name', name, maxNameLength);
  if (wrongName !== undefined) return wrongName;
  return args === undefined || isTexts(args) ? undefined : 'arguments must be an object of texts';
}

function refProblem(ref: unknown): string | undefined {
  if (!isObject(ref)) return 'ref must be an object';
  if (ref.type === 'ref/prompt') return textProblem('ref.name', ref.name, maxNameLength);
  if (ref.type === 'ref/resource') return textProblem('ref.uri', ref.uri, maxUriLength);
  return 'ref.type must be ref/prompt or ref/resource';
}

function completionProblem({ ref, argument, context }: Params): string | undefined {
  const wrongRef = refProblem(ref);
  if (wrongRef !== undefined) return wrongRef;
  const isWhole = isObject(argument) && isText(argument.name, maxNameLength) && typeof argument.value === 'string';
  if (!isWhole) return `argument must have a name of at most ${maxNameLength} characters and a value`;
  const args = isObject(context) ? context.arguments : context;
  return args === undefined || isTexts(args) ? undefined : 'context must hold arguments, an object of texts';
}

const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['initialize', initializeProblem],
  ['tools/call', callProblem],
  ['prompts/get', promptProblem],
  ['resources/read', ({ uri }) => textProblem('uri', uri, maxUriLength)],
  ['resources/subscribe', ({ uri }) => textProblem('uri', uri, maxUriLength)],
  ['resources/unsubscribe', ({ uri }) => textProblem('uri', uri, maxUriLength)],
  ['completion/complete', completionProblem],
  ['logging/setLevel', ({ level }) => textProblem('level', level, maxTokenLength)],
]);

/** Methods that 2026-07-28 has removed. There they are unknown, whatever their params. */
const legacyOnly: ReadonlySet<string> = new Set([
  'initialize',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

/** Why the params of a request are invalid; undefined for valid ones and for methods without a check. */
export function paramsProblem(method: string | undefined, params: Params, isModern: boolean): string | undefined {
  if (method === undefined || (isModern && legacyOnly.has(method))) return undefined;
  return checks.get(method)?.(params);
}
