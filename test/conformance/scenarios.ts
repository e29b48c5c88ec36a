/** The package of the suite, and the protocol version of its scenarios. */
export interface Suite {
  readonly title: string;
  readonly package: string;
  readonly flags: readonly string[];
}

export const suites: readonly Suite[] = [
  { title: 'protocol 2025-11-25', package: '@modelcontextprotocol/conformance@0.1.16', flags: [] },
  {
    title: 'protocol 2026-07-28',
    package: '@modelcontextprotocol/conformance@0.2.0-alpha.12',
    flags: ['--requirements', '2026-07-28'],
  },
];

const fixture = (name: string) => `asks for a server that has ${name}`;
const capability = (name: string) => `asks about ${name}, which this server does not offer`;

/** Scenarios that do not apply to this server, each with the reason. Every other scenario must pass. */
const notApplicable: readonly (readonly [scenario: RegExp, reason: string])[] = [
  [/^tools-call-/, fixture('tools of its own (test_simple_text and others)')],
  [/^elicitation-sep/, fixture('a tool test_elicitation_…')],
  [/^input-required-result-(?!missing|unsupported|ignore|validate)/, fixture('tools that ask for input')],
  [/^completion-complete$/, fixture('a prompt test_prompt_with_arguments')],
  [/^resources-(read|templates)/, fixture('resources test://static-text and others')],
  [/^prompts-get-/, fixture('prompts test_simple_prompt and others')],
  [/^resources-(subscribe|unsubscribe)$/, capability('subscriptions to resources')],
  [/^tasks-/, capability('the extension for tasks')],
  [/^json-schema-2020-12$/, fixture('a tool json_schema_2020_12_tool')],
];

/** Failure messages of checks that a server without the fixtures of the suite cannot pass. */
export const notTestable = /^Not testable: /;

export function reasonToLeaveOut(scenario: string): string | undefined {
  return notApplicable.find(([pattern]) => pattern.test(scenario))?.[1];
}
