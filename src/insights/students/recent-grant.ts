/** A grant that this server made a short time ago. The platform may not show it yet. */
export interface RecentGrant {
  /** "course 7". */
  readonly ref: string;
  readonly agoMs: number;
}

/** "given 12 s ago by this server, not shown yet". */
export function recentGrantText({ agoMs }: RecentGrant): string {
  return `given ${Math.max(0, Math.round(agoMs / 1000))} s ago by this server, not shown yet`;
}
