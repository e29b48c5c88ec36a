import type { CallResult } from '../mcp/call-tool.ts';
import type { Service } from '../mcp/service.ts';

/** Names the fields of the accounts file instead of the settings that they replace: hints of errors name those. */
export function withFieldNames(text: string): string {
  return text
    .replaceAll('ACADEMY_BASE_URL', 'base_url in the accounts file')
    .replaceAll('ACADEMY_API_KEY', 'api_key_env or api_key_file in the accounts file');
}

function inErrors(result: CallResult): CallResult {
  if (result.isError !== true) return result;
  return { ...result, content: result.content.map((part) => ({ ...part, text: withFieldNames(part.text) })) };
}

/** A service of an account whose errors name those fields. */
export function namingFields(service: Service): Service {
  return { ...service, call: async (...call) => inErrors(await service.call(...call)) };
}
