import { operations } from '../../src/contract/index.ts';
import type { Tool } from '../../src/mcp/tool.ts';
import { tools } from '../../tools/index.ts';
import type { Row } from './academy.ts';

/** Whether a tool acts only with `confirm`, under the default settings. */
export const needsConfirm = ({ effect, consent }: Tool) => effect === 'destroy' || consent === true;

/** The example of a tool, confirmed if necessary. */
export function exampleCall(tool: Tool): Row {
  return needsConfirm(tool) ? { ...tool.example, confirm: true } : tool.example;
}

/** The example of each tool, by its name. */
export const examples: Readonly<Record<string, Row>> = Object.fromEntries(
  tools.map((tool) => [tool.name, exampleCall(tool)]),
);

/** A valid call for each tool, for an academy that has every requested record, at any time. */
export const everyCall: Readonly<Record<string, Row>> = {
  ...examples,
  plan_course_outline: { course_id: 1, moves: [] },
  apply_course_outline: { course_id: 1, moves: [], base_version: '0', confirm: true },
  find_buyers: { product: '1', product_type: 'course' },
  sales_report: {},
  unpaid_orders: {},
  diagnose_access: { email: 'ann@example.com', product: '1', product_type: 'course' },
  course_progress: { course_id: 1 },
  community_digest: {},
  search_posts: { ...examples.search_posts, links: true },
};

/** The tool of an operation: `get_course` of `courses.getCourse`. */
export function toolOf({ id }: { id: string }): string {
  const [, operation = ''] = id.split('.');
  return operation.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const ofOperations = new Set(operations.map(toolOf));

/** The tool of each operation of the API. */
export const operationTools = tools.filter(({ name }) => ofOperations.has(name));

const compositeTools = tools.filter(({ name }) => !ofOperations.has(name));

/** Tools that answer a question with several operations. */
export const composites = compositeTools.map(({ name }) => name);

/** Those of them that write: their answers show the outcome of each part. */
export const compositeWrites = compositeTools.filter(({ effect }) => effect !== 'read').map(({ name }) => name);
