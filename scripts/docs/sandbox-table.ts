import { Command, type Option } from 'commander';
import { addSandboxFlags } from '../../src/cli/sandbox.ts';
import { code, table } from './markdown.ts';

/** Most defaults are filled in behind the command line, so that only the words of the flag tell them. */
const defaultInWords = / \(default: (.*)\)$/;

function defaultOf({ description, defaultValue }: Option): string {
  const [, said] = defaultInWords.exec(description) ?? [];
  return said ?? (defaultValue === undefined ? '' : String(defaultValue));
}

function meaningOf({ description, argChoices }: Option): string {
  const meaning = description.replace(defaultInWords, '');
  return argChoices === undefined ? meaning : `${meaning}; ${argChoices.map(code).join(' or ')}`;
}

/** docs/install.md: "Flags of the sandbox". */
export function sandboxTable(): string {
  const { options } = addSandboxFlags(new Command());
  const rows = options.map((option) => [code(option.flags), defaultOf(option), meaningOf(option)]);
  return table(['Flag', 'Default', 'Meaning'], rows);
}
