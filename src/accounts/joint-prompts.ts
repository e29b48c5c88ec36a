import type { PromptDescription, PromptResult } from '../mcp/prompt.ts';
import type { ListsOf } from './joint-resources.ts';

const argument = { name: 'account', description: 'Which academy, by its name', required: true };

/** Every prompt that an account has, with the account as its first argument. */
export function jointPrompts(all: readonly ListsOf[]): PromptDescription[] {
  const byName = new Map(all.flatMap(({ lists }) => lists.prompts).map((prompt) => [prompt.name, prompt]));
  return [...byName.values()].map((prompt) => ({ ...prompt, arguments: [argument, ...prompt.arguments] }));
}

/** Adds the account, which every tool that the prompt names needs. */
export function forAccount({ description, messages }: PromptResult, account: string): PromptResult {
  const sentence = `Pass account: "${account}" in every call.`;
  return {
    description,
    messages: messages.map(({ role, content }) => ({
      role,
      content: { ...content, text: `${content.text}\n${sentence}` },
    })),
  };
}
