import type { ToolAnswer } from '../tool-answer.ts';

export interface Bounds {
  /** Milliseconds that a call may wait in the queue. */
  readonly maxWaitMs: number;
  readonly windowMs: number;
}

/** One of many concurrent calls. */
interface Answered {
  readonly code: string;
  /** From the call to its answer, in milliseconds. */
  readonly tookMs: number;
  /** The seconds to wait that a refusal named. */
  readonly saidS: number | undefined;
}

/** Many calls in a few numbers: data kept for each call would count as heap growth. */
export interface Wave {
  readonly calls: number;
  readonly served: number;
  readonly maxMs: number;
  /** The shortest and the longest named wait, in seconds; undefined if no answer named one. */
  readonly said: readonly [number, number] | undefined;
  readonly failures: readonly string[];
}

function saidSeconds({ code, text }: ToolAnswer): number | undefined {
  const said = /in about (\d+) s/.exec(text)?.[1];
  return code === 'rate_limited' && said !== undefined ? Number(said) : undefined;
}

/** Additional to the maximum wait: the answer itself, and the work for a thousand calls. Milliseconds. */
const graceMs = 1_000;

/** A full queue of 100 may be in front of a refused call: less than two batches of tokens. */
const maxSaidMs = (windowMs: number) => 2 * 1.01 * windowMs + 1_000;

function isPlausible(saidS: number | undefined, { windowMs }: Bounds): boolean {
  return saidS !== undefined && saidS >= 1 && saidS * 1_000 <= maxSaidMs(windowMs);
}

function failuresOf(answers: readonly Answered[], bounds: Bounds): string[] {
  const others = answers.filter(({ code }) => code !== 'ok' && code !== 'rate_limited');
  const late = answers.filter(({ tookMs }) => tookMs > bounds.maxWaitMs + graceMs);
  const refused = answers.filter(({ code }) => code === 'rate_limited');
  const odd = refused.filter(({ saidS }) => !isPlausible(saidS, bounds));
  return [
    ...others.map(({ code }) => `a call was answered with ${code}`),
    ...late.map(({ tookMs }) => `a call waited ${Math.round(tookMs)} ms`),
    ...odd.map(({ saidS }) => `a refusal said ${saidS} s`),
  ];
}

function range(values: readonly number[]): [number, number] | undefined {
  return values.length === 0 ? undefined : [Math.min(...values), Math.max(...values)];
}

/** Makes `count` concurrent calls. */
export async function wave(
  call: (number: number) => Promise<ToolAnswer>,
  { first, count, bounds }: { first: number; count: number; bounds: Bounds },
): Promise<Wave> {
  const started = performance.now();
  const one = async (_: unknown, index: number): Promise<Answered> => {
    const answer = await call(first + index);
    return { code: answer.code, tookMs: performance.now() - started, saidS: saidSeconds(answer) };
  };
  const answers = await Promise.all(Array.from({ length: count }, one));
  return {
    calls: count,
    served: answers.filter(({ code }) => code === 'ok').length,
    maxMs: Math.max(...answers.map(({ tookMs }) => tookMs)),
    said: range(answers.flatMap(({ saidS }) => saidS ?? [])),
    failures: failuresOf(answers, bounds),
  };
}

/** Combines several waves. */
export function together(waves: readonly Wave[]): Wave {
  const sum = (of: (one: Wave) => number) => waves.reduce((total, one) => total + of(one), 0);
  return {
    calls: sum(({ calls }) => calls),
    served: sum(({ served }) => served),
    maxMs: Math.max(...waves.map(({ maxMs }) => maxMs)),
    said: range(waves.flatMap(({ said }) => said ?? [])),
    failures: waves.flatMap(({ failures }) => failures),
  };
}
