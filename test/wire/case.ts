/** One call of a tool, the one request that it must make, and an answer as the API document describes it. */
export interface WireCase {
  /** The endpoint as it stands in `endpoints` of test/support/document.ts. */
  endpoint: string;
  /** What is special about this call, for the title of its tests. */
  when: string;
  tool: string;
  arguments: Record<string, unknown>;
  sends: {
    method: 'GET' | 'POST' | 'PATCH';
    /** Raw: percent-encoded as it goes over the wire. */
    path: string;
    /** The query string, in any order of its parameters. */
    query?: string;
    body?: unknown;
  };
  /** Reads beside it: titles of what the ids name, and what a revocation takes. "GET /api/v1/courses/4711", in any order. */
  looksUp?: readonly string[];
  answers: { status?: number; body?: unknown };
  /** Facts of the answer that must stand in both forms of the tool's answer. */
  tells: readonly (string | number)[];
}
