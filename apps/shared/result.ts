import type { Json } from '../../src/shared/json.ts';
import type { ToolResult } from './bridge.ts';

/** The text of a result. */
export function resultText({ content = [] }: ToolResult): string {
  return content.map(({ text = '' }) => text).join('\n');
}

/** The structured answer of a tool. Throws the error of the tool. */
export function dataOf(result: ToolResult): Json {
  if (result.isError === true) throw new Error(resultText(result));
  return result.structuredContent ?? {};
}

/** Runs one task at a time: a second press while the first one is under way does nothing. */
export function createLock(): (task: () => Promise<void>) => Promise<void> {
  let isHeld = false;
  return async (task) => {
    if (isHeld) return;
    isHeld = true;
    await task().finally(() => {
      isHeld = false;
    });
  };
}
