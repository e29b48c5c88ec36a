import type * as z from 'zod';

/** One setting: an environment variable and, unless it is a secret, a flag. docs/settings.md is generated from these. */
export interface Setting<Schema extends z.ZodType = z.ZodType> {
  readonly env: string;
  /** Without the dashes. Undefined for a secret: every user of the machine can read flags in the process list. */
  readonly flag: string | undefined;
  /** Name of the flag's value in the help; undefined for a flag without a value. */
  readonly value: string | undefined;
  readonly help: string;
  readonly schema: Schema;
  /** The only command that uses this setting and has its flag. Undefined: all that read settings. */
  readonly command?: 'http';
  /** Variable of a hosting platform. It counts if the setting's own variable is not set. */
  readonly platformEnv?: string;
}

export function setting<Schema extends z.ZodType>(
  env: string,
  value: string | undefined,
  help: string,
  schema: Schema,
): Setting<Schema> {
  return { env, flag: env.replace('ACADEMY_', '').toLowerCase().replaceAll('_', '-'), value, help, schema };
}

/** A setting of `academy-mcp http` alone. Its flag is named without `http-`, as in `--port`. */
export function httpSetting<Schema extends z.ZodType>(
  env: string,
  value: string,
  help: string,
  schema: Schema,
): Setting<Schema> {
  const { flag = '', ...rest } = setting(env, value, help, schema);
  return { ...rest, flag: flag.replace('http-', ''), command: 'http' };
}

export function secret<Schema extends z.ZodType>(env: string, help: string, schema: Schema): Setting<Schema> {
  return { env, flag: undefined, value: undefined, help, schema };
}

export function isSecret({ flag }: Setting): boolean {
  return flag === undefined;
}

/** The variable that names a file with the value of a secret. Undefined for other settings. */
export function fileVariableOf(setting: Setting): string | undefined {
  return isSecret(setting) ? `${setting.env}_FILE` : undefined;
}
