import { quotable } from '../../shared/clean-text.ts';
import { asValue } from '../../shared/quote-text.ts';
import { noResource } from '../rpc-error.ts';
import type { ToolContext } from '../tool.ts';

type Scope = Pick<ToolContext, 'caller' | 'conversation'>;

const why = 'An export can be read for one hour, and only by the caller who made it: make it again';

/** The text of an export. Throws `RpcError` for one that is gone, or of another caller: both look the same. */
export async function readExport(
  uri: string,
  id: string,
  { exports }: Pick<ToolContext, 'exports'>,
  { caller, conversation }: Scope,
): Promise<string> {
  const text = await exports.read(id, caller);
  if (text === undefined) throw noResource(uri, `Unknown export: ${asValue(quotable(uri, 200))}. ${why}`);
  await conversation.load?.();
  conversation.hasUserContent = true;
  await conversation.save?.();
  return text;
}
