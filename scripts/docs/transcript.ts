import type { Exchange } from './ask.ts';
import { codeBlock } from './markdown.ts';

/** Longer answers are folded. */
const maxOpenLines = 12;

function answerPart(text: string): string {
  const answer = codeBlock('text', text);
  const lines = text.split('\n').length;
  if (lines <= maxOpenLines) return `**and reads:**\n\n${answer}`;
  return `<details>\n<summary><b>and reads</b> (${lines} lines)</summary>\n\n${answer}\n\n</details>`;
}

/** The question, the call and its answer, as Markdown. */
export function transcript({ question, tool, args, text }: Exchange): string {
  const call = codeBlock('json', JSON.stringify(args));
  return [`**You:** ${question}`, `**The assistant calls** \`${tool}\`:`, call, answerPart(text)].join('\n\n');
}
