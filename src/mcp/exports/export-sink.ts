import type { CallerTurns } from '../../shared/turns.ts';

/** A whole result as CSV, to be saved. */
export interface ExportFile {
  /** Letters, digits, underscores and hyphens. */
  readonly name: string;
  readonly csv: Uint8Array;
}

/** Whose export it is. */
export interface ExportOwner {
  readonly caller: string;
  /** The account that the call names, if the caller has several. */
  readonly account?: string | undefined;
}

/** A path over stdio. Over HTTP the addresses of resources, which hold the first `rows` rows: all, if `why` is undefined. */
export type SavedExport =
  | { readonly file: string }
  | { readonly links: readonly string[]; readonly expires_at: string; readonly rows: number; readonly why?: string };

/** Where exports go. */
export interface ExportSink {
  /** The most bytes of one export. */
  readonly maxBytes: number;
  /** Throws `invalid_settings` if nothing can be saved. It comes before the data are read. */
  check(): Promise<void>;
  /** Runs what makes a large export, one after the other in this process. Callers take turns. */
  readonly inTurn: CallerTurns;
  save(file: ExportFile, owner: ExportOwner): Promise<SavedExport>;
  /** The text of an export that this caller made; undefined for any other. */
  read(id: string, caller: string): Promise<string | undefined>;
}

/** "2026-11-22T10-40-22Z": a colon is not allowed in names of Windows. */
export function timeInName(now: Date): string {
  return now.toISOString().slice(0, 19).replaceAll(':', '-').concat('Z');
}
