import * as z from 'zod';
import type { ResponseSchema } from '../../src/contract/schemas/response.ts';
import { type TextKind, textKinds } from '../../src/contract/schemas/response-text.ts';

/** Returns the string for a place of an answer. `kind` is its entry in the registry of the contract. */
export type TextAt = (path: string, kind: TextKind | undefined) => string;

export interface TextField {
  path: string;
  kind: TextKind | undefined;
}

const perList = 2;

/** Makes values of a schema. Throws for an unknown kind of schema, which could hide a string. */
function maker(textAt: TextAt) {
  let number = 0;

  function object(schema: z.ZodObject, path: string): Record<string, unknown> {
    const fields = Object.entries(schema.shape).map(([name, field]) => [name, make(field, `${path}.${name}`)]);
    return Object.fromEntries(fields);
  }

  function union(options: readonly unknown[], path: string): unknown {
    const made = options.map((option) => make(option, path));
    return made.find((value) => typeof value === 'string') ?? made[0];
  }

  function make(schema: unknown, path: string): unknown {
    if (schema instanceof z.ZodString) return textAt(path, textKinds.get(schema));
    if (schema instanceof z.ZodObject) return object(schema, path);
    if (schema instanceof z.ZodArray) {
      return Array.from({ length: perList }, () => make(schema.element, `${path}[]`));
    }
    if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return make(schema.unwrap(), path);
    if (schema instanceof z.ZodUnion) return union(schema.options, path);
    if (schema instanceof z.ZodNumber) return ++number;
    if (schema instanceof z.ZodBoolean) return true;
    throw new Error(`${path}: an unknown kind of schema for answers`);
  }

  return make;
}

/** The body of an answer, with the texts of `textAt` in all its strings. */
export function madeBody(answer: ResponseSchema, textAt: TextAt): unknown {
  const make = maker(textAt);
  if (answer.kind === 'list') {
    const items = Array.from({ length: perList }, () => make(answer.item, `${answer.key}[]`));
    return { ...Object(make(answer.extra, '')), [answer.key]: items };
  }
  const record = make(answer.schema, '');
  return answer.kind === 'record' && answer.form === 'keyed' ? { [answer.key]: record } : record;
}

/** Every string of a schema, once each. */
export function textFieldsOf(schema: z.ZodType): TextField[] {
  const found = new Map<string, TextField>();
  maker((path, kind) => {
    // In a union, a string without an entry must not be hidden by another one of the same path.
    if (!found.has(path) || kind === undefined) found.set(path, { path, kind });
    return '';
  })(schema, '');
  return [...found.values()];
}

/** The schemas of an answer that contain data of the API. */
export function schemasOf(answer: ResponseSchema): z.ZodObject[] {
  return answer.kind === 'list' ? [answer.item, answer.extra] : [answer.schema];
}

/** Every string of an answer, by the path that `madeBody` asks for. */
export function pathsOf(answer: ResponseSchema): string[] {
  const paths = new Set<string>();
  madeBody(answer, (path) => {
    paths.add(path);
    return '';
  });
  return [...paths];
}
