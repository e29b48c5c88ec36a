/** One call of a tool, the one request that it must make, and an answer as the API document describes it. */
export interface WireCase {
  /** The endpoint as in `endpoints` of test/support/document.ts. */
  endpoint: string;
  /** The special point of this call, for the titles of its tests. */
  when: string;
  tool: string;
  arguments: Record<string, unknown>;
  sends: {
    method: 'GET' | 'POST' | 'PATCH';
    /** Raw: percent-encoded as on the wire. */
    path: string;
    /** The query string, in any order of its parameters. */
    query?: string;
    body?: unknown;
  };
  /** Additional reads, in any order: titles for the ids, and the effect of a revocation. "GET /api/v1/courses/4711". */
  looksUp?: readonly string[];
  answers: { status?: number; body?: unknown };
  /** Facts that both forms of the tool's answer must contain. */
  tells: readonly (string | number)[];
}
