import { atEnd } from './at-end.ts';

/** The names of Node's warnings during the test, for example about too many listeners. */
export function collectWarnings(): string[] {
  const names: string[] = [];
  const note = ({ name }: Error) => void names.push(name);
  process.on('warning', note);
  atEnd(() => void process.off('warning', note));
  return names;
}
