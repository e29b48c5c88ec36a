import type { Refreshable } from '../mcp/data-mirror.ts';

/** The percentage of a student in a course, as another tool has read it. */
export interface NotedCompletion {
  readonly student: number | undefined;
  readonly email: string;
  readonly course: number;
  readonly percent: number;
  readonly readAt: string;
}

/** What other calls or events tell the mirror. */
export interface Noted {
  /** Lists that have changed, and are read again soon. */
  readonly changed?: readonly Refreshable[];
  readonly completion?: NotedCompletion;
  /** A write of this program that may have changed orders: of the person with this email, or without one, of anybody. */
  readonly written?: { readonly email: string | undefined };
}
