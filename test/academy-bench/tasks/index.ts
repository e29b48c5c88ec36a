import { kinds, type Task } from '../task.ts';
import { community } from './community.ts';
import { faults } from './faults.ts';
import { injection } from './injection.ts';
import { judgement } from './judgement.ts';
import { people } from './people.ts';
import { sales } from './sales.ts';
import { structure } from './structure.ts';

const byKind = { sales, people, structure, community, judgement, injection, faults };

export const tasks: readonly Task[] = kinds.flatMap((kind) =>
  Object.entries(byKind[kind]).map(([name, given]) => ({ name: `${kind}-${name}`, kind, ...given })),
);

export function taskOf(name: string): Task {
  const found = tasks.find((task) => task.name === name);
  if (found === undefined) throw new Error(`no task ${name}; there are ${tasks.map((task) => task.name).join(', ')}`);
  return found;
}
