import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { describeTool } from '../../src/mcp/describe-tool.ts';
import type { ErrorCode } from '../../src/shared/errors.ts';
import { tools } from '../../tools/index.ts';
import { root } from './pages.ts';

const described = tools.map(describeTool);
const folders = readdirSync(new URL('skills/', root)).sort();

function skill(folder: string): string {
  return readFileSync(new URL(`skills/${folder}/SKILL.md`, root), 'utf8');
}

const bodies = folders.map((folder) => skill(folder).replace(/^---[\s\S]*?---/, ''));

/** The paragraphs and the items of the lists. */
function partsOf(text: string): string[] {
  return text.split(/\n\n|\n(?=\d\. | *- )/);
}

/** Every word in code, with the value that follows an argument: `period: "last_week"`. */
function codeIn(text: string): { word: string; value: string | undefined }[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => {
    const [word = '', value] = code.split(': ');
    return { word, value };
  });
}

function toolsIn(text: string) {
  const words = new Set(codeIn(text).map(({ word }) => word));
  return described.filter(({ name }) => words.has(name));
}

/** Errors that a skill says how to handle. */
const errorCodes: readonly ErrorCode[] = ['ambiguous_product', 'stale_version'];

const schemaOfFields = z.object({ properties: z.record(z.string(), z.json()) });

function fieldsOf(schema: unknown): Record<string, unknown> {
  return schemaOfFields.parse(schema).properties;
}

test('there are the six skills, each short, with a name and a description that says when to use it', () => {
  expect(folders).toEqual([
    'enroll-a-class',
    'offboard-a-student',
    'restructure-a-course',
    'students-who-fall-behind',
    'weekly-report',
    'who-bought',
  ]);
  for (const folder of folders) {
    const head = /^---\nname: (.+)\ndescription: (.+)\nmetadata:\n {2}tools: (.+)\n---\n/;
    const [, name, description, needed = ''] = head.exec(skill(folder)) ?? [];
    expect(name).toBe(folder);
    const named = toolsIn(skill(folder)).map((tool) => tool.name);
    expect(needed.split(' ').toSorted(), folder).toEqual(named.toSorted());
    expect(description, folder).toMatch(/^.{20,300} Use it for (questions|requests) such as ".+"\.$/);
    expect(skill(folder).split('\n').length, folder).toBeLessThan(30);
  }
});

test('every word in code of a skill is a tool, an argument of the tools beside it, a field of an answer or an error', () => {
  for (const body of bodies) {
    const answers = toolsIn(body).flatMap(({ outputSchema }) => Object.keys(fieldsOf(outputSchema)));
    for (const part of partsOf(body)) {
      const used = toolsIn(part);
      const names = used.map(({ name }) => name);
      const inputs = used.flatMap(({ inputSchema }) => Object.keys(fieldsOf(inputSchema)));
      for (const { word } of codeIn(part))
        expect([...names, ...inputs, ...answers, ...errorCodes, 'confirm'], part).toContain(word);
    }
  }
});

test('every value that a skill gives to an argument is one that the tool takes', () => {
  const checked = bodies.flatMap(partsOf).flatMap((part) =>
    codeIn(part).flatMap(({ word, value }) => {
      const [schema] = toolsIn(part).flatMap(({ inputSchema }) => fieldsOf(inputSchema)[word] ?? []);
      if (value === undefined || schema === undefined) return [];
      return [z.fromJSONSchema(schema as never).safeParse(JSON.parse(value)).success ? '' : `${word}: ${value}`];
    }),
  );
  expect(checked.length).toBeGreaterThan(5);
  expect(checked.filter((wrong) => wrong !== '')).toEqual([]);
});

test('every skill begins with a tool that only reads', () => {
  for (const [index, body] of bodies.entries()) {
    const order = codeIn(body).flatMap(({ word }) => described.filter(({ name }) => name === word));
    const [first] = order;
    expect(first?.annotations.readOnlyHint, folders[index]).toBe(true);
  }
});

test('a skill that confirms calls the tool without confirm first, and shows what the server asks', () => {
  const confirming = bodies.filter((body) => body.includes('`confirm`'));
  expect(confirming).toHaveLength(3);
  for (const body of confirming) expect(body).toMatch(/without `confirm`[^`]*(show|returns the plan)/);
});

test('no skill gives orders beyond its task', () => {
  for (const body of bodies) {
    expect(body).not.toMatch(/https?:|\bmust\b|\balways\b|\bnever\b|\bignore\b|system prompt/i);
  }
});
