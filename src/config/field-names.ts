import type { CallResult } from '../mcp/call-tool.ts';
import type { Service } from '../mcp/service.ts';

/** What a person sees instead of a variable: errors and hints name variables. */
type FieldNames = Readonly<Record<string, string>>;

export const accountsFileFields: FieldNames = {
  ACADEMY_BASE_URL: 'base_url in the accounts file',
  ACADEMY_API_KEY: 'api_key_env or api_key_file in the accounts file',
};

/** Set by the launcher of the Claude Desktop bundle and of the Claude Code plugin, whose settings are a form. */
export const formVariable = 'SETTINGS_FORM';

export const formTitles = {
  ACADEMY_BASE_URL: 'Address of the academy',
  ACADEMY_API_KEY: 'API key',
  ACADEMY_TIMEZONE: 'Time zone',
  ACADEMY_READ_ONLY: 'Read-only',
  ACADEMY_CONFIRM: 'Confirmation',
} as const;

export const formFields: FieldNames = Object.fromEntries(
  Object.entries(formTitles).map(([env, title]) => [env, `the field "${title}"`]),
);

export function withFieldNames(text: string, fields: FieldNames): string {
  return Object.entries(fields).reduce(
    (named, [env, field]) => named.replaceAll(new RegExp(`${env}\\b`, 'g'), field),
    text,
  );
}

export function namingFields(service: Service, fields: FieldNames): Service {
  const inErrors = (result: CallResult): CallResult => {
    if (result.isError !== true) return result;
    return { ...result, content: result.content.map((part) => ({ ...part, text: withFieldNames(part.text, fields) })) };
  };
  return { ...service, call: async (...call) => inErrors(await service.call(...call)) };
}
