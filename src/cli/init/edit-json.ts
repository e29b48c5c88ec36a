import { isDeepStrictEqual } from 'node:util';
import {
  applyEdits,
  createScanner,
  type Edit,
  findNodeAtLocation,
  getNodeValue,
  type JSONPath,
  modify,
  type Node,
  type ParseError,
  parseTree,
} from 'jsonc-parser';

// Edits JSON with comments. `modify` of jsonc-parser formats the lines around a change, or loses the comments there, so it
// is used only to remove a member of a line that has others.

/** The settings cannot be changed safely. The message continues a sentence that starts with the name of the file. */
export class UnusableSettings extends Error {}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Throws `UnusableSettings` for a text that is not a JSON object. Comments and trailing commas are accepted. */
function parse(text: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined || root === undefined) {
    throw new UnusableSettings(`is not valid JSON (line ${lineOf(text, error?.offset ?? 0)})`);
  }
  if (root.type !== 'object') throw new UnusableSettings('is not a JSON object');
  return root;
}

export function valueAt(text: string, path: JSONPath): unknown {
  const node = findNodeAtLocation(parse(text), path);
  return node === undefined ? undefined : getNodeValue(node);
}

function lineBreakOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** One level of the indentation that a text has already. */
function indentOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
}

/** The white space at the start of the line of an offset. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function member(key: string | undefined, value: unknown, indent: string, text: string): string {
  const json = JSON.stringify(value, undefined, indentOf(text)).replaceAll('\n', `${lineBreakOf(text)}${indent}`);
  return key === undefined ? json : `${JSON.stringify(key)}: ${json}`;
}

/** Adds the first member of an object or list, before its closing bracket. */
function addFirst(text: string, container: Node, key: string | undefined, value: unknown): Edit[] {
  const end = container.offset + container.length - 1;
  const start = text.slice(0, end).trimEnd().length;
  const outer = indentAt(text, container.offset);
  const inner = outer + indentOf(text);
  const eol = lineBreakOf(text);
  const content = `${eol}${inner}${member(key, value, inner, text)}${eol}${outer}`;
  return [{ offset: start, length: end - start, content }];
}

/** A comma and a comment after the last member, up to the end of its line. */
const restOfLine = /^[ \t]*(,?)[ \t]*(?:\/\/[^\r\n]*|\/\*(?:[^*\r\n]|\*(?!\/))*\*\/)?[ \t]*(?=\r?\n)/;

/** Adds a member on a line of its own after the last one. On one line with the bracket, it is added to that line. */
function addLast(text: string, last: Node, key: string | undefined, value: unknown): Edit[] {
  const end = last.offset + last.length;
  const [rest, comma = ''] = restOfLine.exec(text.slice(end)) ?? [];
  if (rest === undefined) {
    const compact = `${key === undefined ? '' : `${JSON.stringify(key)}: `}${JSON.stringify(value)}`;
    return [{ offset: end, length: 0, content: `, ${compact}` }];
  }
  const indent = indentAt(text, last.offset);
  const content = `${lineBreakOf(text)}${indent}${member(key, value, indent, text)}${comma}`;
  const separator = comma === '' ? [{ offset: end, length: 0, content: ',' }] : [];
  return [...separator, { offset: end + rest.length, length: 0, content }];
}

/** Adds a member to the object or list at a path. `key` is undefined for a list. */
export function addMember(text: string, path: JSONPath, key: string | undefined, value: unknown): string {
  const container = findNodeAtLocation(parse(text), path);
  if (container === undefined) throw new Error(`nothing at ${path.join('.')}`);
  const last = container.children?.at(-1);
  const edits = last === undefined ? addFirst(text, container, key, value) : addLast(text, last, key, value);
  return applyEdits(text, edits);
}

/** Sets the value of a key of the object at a path. A value that is the same already keeps its format. */
export function setMember(text: string, path: JSONPath, key: string, value: unknown): string {
  const node = findNodeAtLocation(parse(text), [...path, key]);
  if (node === undefined) return addMember(text, path, key, value);
  if (isDeepStrictEqual(getNodeValue(node), value)) return text;
  const content = member(undefined, value, indentAt(text, node.offset), text);
  return applyEdits(text, [{ offset: node.offset, length: node.length, content }]);
}

/** The offset of the comma after a member. A comment may be before it. */
function commaAfter(text: string, { offset, length }: Node): number {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset + length);
  scanner.scan();
  return scanner.getTokenOffset();
}

/** Cuts out the lines of a member, and the comma of the one before it if no other follows. */
function cutLines(text: string, node: Node, rest: string, comma: string): Edit[] {
  const lineBreak = text.lastIndexOf('\n', node.offset);
  const start = text[lineBreak - 1] === '\r' ? lineBreak - 1 : lineBreak;
  const cut = { offset: start, length: node.offset + node.length + rest.length - start, content: '' };
  const siblings = node.parent?.children ?? [];
  const before = siblings[siblings.indexOf(node) - 1];
  const isLast = siblings.at(-1) === node;
  if (before === undefined || !isLast || comma !== '') return [cut];
  return [{ offset: commaAfter(text, before), length: 1, content: '' }, cut];
}

/** Removes a member of an object or list, if it is there. Comments of other members stay. */
export function removeMember(text: string, path: JSONPath): string {
  const value = findNodeAtLocation(parse(text), path);
  if (value === undefined) return text;
  const node = value.parent?.type === 'property' ? value.parent : value;
  const [rest, comma = ''] = restOfLine.exec(text.slice(node.offset + node.length)) ?? [];
  const lineStart = text.slice(text.lastIndexOf('\n', node.offset) + 1, node.offset);
  const hasOwnLines = rest !== undefined && lineStart.trim() === '' && text.lastIndexOf('\n', node.offset) >= 0;
  return applyEdits(text, hasOwnLines ? cutLines(text, node, rest, comma) : modify(text, path, undefined, {}));
}
