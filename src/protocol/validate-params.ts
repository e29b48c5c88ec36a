import { isObject } from '../shared/json.ts';
import { maxCapabilitiesBytes } from './input-limits.ts';
import { isLarger } from './message-size.ts';

// What must be right in the params of a request before an SDK sees them: it would answer with the whole output of its
// validator. Arguments of tools and prompts have bounds of their own.

type Params = Record<string, unknown>;
type Check = (params: Params) => string | undefined;

const maxName = 255;
const maxAddress = 2_000;
/** A state is a code of ours, and a version a date. */
const maxWord = 100;

function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value.length <= longest;
}

function textProblem(name: string, value: unknown, longest: number): string | undefined {
  if (typeof value !== 'string') return `${name} must be text`;
  return value.length > longest ? `${name} must have at most ${longest} characters` : undefined;
}

function initializeProblem({ protocolVersion, capabilities, clientInfo }: Params): string | undefined {
  const wrongVersion = textProblem('protocolVersion', protocolVersion, maxWord);
  if (wrongVersion !== undefined) return wrongVersion;
  if (!isObject(capabilities)) return 'capabilities must be an object';
  if (isLarger(capabilities, maxCapabilitiesBytes)) {
    return `capabilities are larger than ${maxCapabilitiesBytes / 1024} KiB`;
  }
  // How long they are does not matter: they are cut.
  const names = isObject(clientInfo) ? [clientInfo.name, clientInfo.version] : [undefined];
  return names.every((text) => typeof text === 'string') ? undefined : 'clientInfo must have a name and a version';
}

function callProblem({ name, arguments: given, requestState }: Params): string | undefined {
  if (!isText(name, maxName)) return `name must be the name of a tool, of at most ${maxName} characters`;
  const wrongState = requestState === undefined ? undefined : textProblem('requestState', requestState, maxWord);
  if (wrongState !== undefined) return wrongState;
  return given === undefined || isObject(given) ? undefined : 'arguments must be an object';
}

const isTexts = (value: unknown) => isObject(value) && Object.values(value).every((entry) => typeof entry === 'string');

function promptProblem({ name, arguments: given }: Params): string | undefined {
  const wrongName = textProblem('name', name, maxName);
  if (wrongName !== undefined) return wrongName;
  return given === undefined || isTexts(given) ? undefined : 'arguments must be an object of texts';
}

function refProblem(ref: unknown): string | undefined {
  if (!isObject(ref)) return 'ref must be an object';
  if (ref.type === 'ref/prompt') return textProblem('ref.name', ref.name, maxName);
  if (ref.type === 'ref/resource') return textProblem('ref.uri', ref.uri, maxAddress);
  return 'ref.type must be ref/prompt or ref/resource';
}

function completionProblem({ ref, argument, context }: Params): string | undefined {
  const wrongRef = refProblem(ref);
  if (wrongRef !== undefined) return wrongRef;
  const isWhole = isObject(argument) && isText(argument.name, maxName) && typeof argument.value === 'string';
  if (!isWhole) return `argument must have a name of at most ${maxName} characters and a value`;
  const given = isObject(context) ? context.arguments : context;
  return given === undefined || isTexts(given) ? undefined : 'context must hold arguments, an object of texts';
}

const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['initialize', initializeProblem],
  ['tools/call', callProblem],
  ['prompts/get', promptProblem],
  ['resources/read', ({ uri }) => textProblem('uri', uri, maxAddress)],
  ['completion/complete', completionProblem],
  ['logging/setLevel', ({ level }) => textProblem('level', level, maxWord)],
]);

/** Methods that 2026-07-28 has removed: there they are unknown, whatever their params. */
const legacyOnly: ReadonlySet<string> = new Set(['initialize', 'logging/setLevel']);

/** What is wrong with the params of a request; undefined where nothing is, and for methods that have none of these. */
export function paramsProblem(method: string | undefined, params: Params, isModern: boolean): string | undefined {
  if (method === undefined || (isModern && legacyOnly.has(method))) return undefined;
  return checks.get(method)?.(params);
}
