/** A grant that this server made a short time ago. The platform may not show it yet. */
export interface RecentGrant {
  /** "course 7". */
  readonly ref: string;
  readonly agoMs: number;
  /** It was sent, and its outcome is not known. */
  readonly isUnknown?: boolean;
}

/** "given 12 s ago by this server, not shown yet". */
export function recentGrantText({ agoMs, isUnknown }: RecentGrant): string {
  const sent = isUnknown === true ? 'sent with unknown outcome' : 'given';
  return `${sent} ${Math.max(0, Math.round(agoMs / 1000))} s ago by this server, not shown yet`;
}
