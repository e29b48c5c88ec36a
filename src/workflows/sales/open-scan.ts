import type { ToolContext } from '../../mcp/tool.ts';
import { lastWrite } from '../../mcp/workflow-stores.ts';
import { orderScans, ttlMs as scanTtlMs } from '../scan-store.ts';
import { scanMirror } from './mirror-scan.ts';
import { createOrderScan, type OrderScan, type ScanQuestion } from './order-scan.ts';

export interface OpenScan {
  readonly scan: OrderScan;
  /** The earlier parts were no longer cached. */
  readonly isAgain: boolean;
  /** Another replica has read the earlier parts. */
  readonly isElsewhere: boolean;
  /** Caches what was read, from now on. */
  keep(): void;
}

/** The most orders from the mirror to cache: reading more of them again is fast. */
const maxMirrored = 50_000;

/**
 * Whether a first call uses this cached scan of the API. One with pages left is read on: another scan of the same question
 * would replace it, and a cursor would then continue a smaller one. A complete one is used while it is recent: reports over
 * the same closed period differ only in their groups. A period that ends now ends later in each call, so its scans are never
 * used twice.
 */
function isUsable(scan: OrderScan, { stores, now }: Pick<ToolContext, 'stores' | 'now'>): boolean {
  const begun = scan.asOf.getTime();
  if (begun <= stores.of(lastWrite).at) return false;
  return scan.scanned().pagesLeft > 0 || (scan.isComplete() && now().getTime() - begun < scanTtlMs);
}

/** The cached scan, for a further part or for a first call that may share it. Not one of the mirror if the call wants the API. */
function cachedScan(key: string, isFurther: boolean, context: ToolContext): OrderScan | undefined {
  const { stores, mirror, isFresh } = context;
  const cached = stores.of(orderScans).get(key);
  if (cached === undefined || (cached.mirror !== undefined && mirror === undefined)) return undefined;
  if (isFurther) return cached;
  return isFresh !== true && cached.mirror === undefined && isUsable(cached, context) ? cached : undefined;
}

/** Finds the scan to read on, or begins one: in the mirror if it has all the orders, otherwise in the API. */
export async function openScan(question: ScanQuestion, isFurther: boolean, context: ToolContext): Promise<OpenScan> {
  const { stores, now } = context;
  const key = JSON.stringify(question);
  const kept = cachedScan(key, isFurther, context);
  const mayBeElsewhere = isFurther && kept === undefined && stores.shared.isShared();
  const elsewhere = mayBeElsewhere ? await stores.shared.get(`scan ${key}`) : undefined;
  const isNew = kept === undefined && elsewhere === undefined;
  const found = kept ?? (isNew ? await scanMirror(question, context) : undefined);
  const scan = found ?? createOrderScan(question, elsewhere === undefined ? now() : new Date(elsewhere.value));
  const mayKeep = scan.mirror === undefined || scan.scanned().orders <= maxMirrored;
  const keep = () => void (mayKeep && stores.of(orderScans).set(key, scan));
  return { scan, isAgain: isFurther && isNew, isElsewhere: elsewhere !== undefined, keep };
}

/** Tells other replicas that this one has read the scan. */
export async function shareScan(question: ScanQuestion, scan: OrderScan, { stores }: ToolContext): Promise<void> {
  if (!stores.shared.isShared() || scan.mirror !== undefined) return;
  await stores.shared.set(`scan ${JSON.stringify(question)}`, scan.asOf.toISOString(), scanTtlMs);
}
