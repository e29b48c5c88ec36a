import type { Logger } from 'pino';
import { type AuditLog, createAuditLog } from './api/writes/audit-log.ts';
import { createJournal, type Journal, journalInFile, journalInMemory } from './api/writes/journal.ts';
import type { Config } from './config/load.ts';
import type { EventFeed } from './events/event-feed.ts';
import type { Catalog } from './mcp/catalog.ts';
import { createConfirmCodes } from './mcp/confirmation/confirm-code.ts';
import { createLists } from './mcp/listing.ts';
import { codeSecretOf, createKeyedHash, hashSecretOf } from './shared/keyed-hash.ts';
import { name, version } from './version.ts';

/** The parts of the app that a start needs: what it lists, and what can refuse a setting. Loads no definition of a tool. */
export type StartParts = ReturnType<typeof createStartParts>;

export interface StartPartsOptions extends Pick<Catalog, 'instructions' | 'listing'> {
  config: Config;
  log: Logger;
  /** Uses the embedded academy. Name and instructions say so, so that its data is not mistaken for real. */
  sandbox?: boolean;
  /** The events of the academy, if the program has them: some tools need them. */
  events?: EventFeed | undefined;
  account?: string | undefined;
  running?: Set<Promise<unknown>> | undefined;
}

function createAudit(config: Config, account: string | undefined): AuditLog | undefined {
  if (config.auditLog === undefined) return undefined;
  return createAuditLog(config.auditLog, createKeyedHash(hashSecretOf(config), 'student'), account);
}

/** Whether writes of an earlier process may be in the journal. */
export const hasJournalFile = ({ journal }: Config) => journal !== 'off' && journal !== 'memory';

function openJournal({ config: { journal, baseUrl }, account, log }: StartPartsOptions): Journal | undefined {
  if (journal === 'off') return undefined;
  const lines = journal === 'memory' ? journalInMemory() : journalInFile(journal);
  return createJournal(lines, `${baseUrl.href} ${account ?? ''}`.trim(), log);
}

function titleOf({ baseUrl }: Config, sandbox: boolean, account: string | undefined): string {
  if (sandbox) return 'Practice academy (made-up data)';
  return account ?? baseUrl.host + baseUrl.pathname.replace(/\/+$/, '');
}

/** Throws `SettingsError` if the audit log or the journal cannot be written. */
export function createStartParts(options: StartPartsOptions) {
  const { config, listing, instructions, sandbox = false, events, account, running = new Set() } = options;
  const { tools, listsFor } = createLists(listing, config, events);
  return {
    name: sandbox ? `${name} (sandbox)` : name,
    version,
    /** Names the academy without a request: by its name in the accounts file, or by its address. The embedded one says what it is. */
    title: titleOf(config, sandbox, account),
    instructions: instructions(tools, { sandbox, readOnly: config.readOnly }),
    listsFor,
    codes: createConfirmCodes(codeSecretOf(config)),
    audit: createAudit(config, account),
    journal: openJournal(options),
    running,
  };
}
