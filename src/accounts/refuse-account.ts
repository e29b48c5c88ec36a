import { AcademyError } from '../shared/errors.ts';
import { namesShown } from './account-argument.ts';
import type { Account } from './accounts.ts';
import type { JointTools } from './joint-tools.ts';

function reasonOf({ config }: Account, isWrite: boolean): string {
  if (isWrite && config.readOnly) return 'which is read-only';
  return `whose toolsets are ${config.toolsets?.join(', ') ?? 'all'}`;
}

/** Throws if an account does not allow a tool that another account of the caller allows. Nothing is sent. */
export function refuseAccount(
  allowed: NonNullable<ReturnType<JointTools['get']>>,
  account: string,
  accounts: readonly Account[],
  lacksEvents: boolean,
): void {
  const names = allowed.map((one) => one.account);
  const [first] = allowed;
  const refusing = accounts.find(({ name }) => name === account);
  if (names.includes(account) || refusing === undefined) return;
  const { name, annotations } = first.description;
  const isWrite = !annotations.readOnlyHint;
  const message = `${name} is not available in the account ${account}, ${lacksEvents ? 'which has no events' : reasonOf(refusing, isWrite)}`;
  throw new AcademyError(isWrite ? 'read_only' : 'forbidden', message, {
    hint: `It is available in ${namesShown(names)}.`,
    ...(isWrite ? { outcome: 'not_applied' } : {}),
  });
}
