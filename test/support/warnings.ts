import { onTestFinished } from 'vitest';

/** The names of what Node warns of during the test, such as of listeners that are too many. */
export function collectWarnings(): string[] {
  const names: string[] = [];
  const note = ({ name }: Error) => void names.push(name);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  return names;
}
