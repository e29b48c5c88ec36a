import type * as z from 'zod';

/** One setting: an environment variable and, unless it is a secret, a flag. README: "Settings" is generated from these. */
export interface Setting<Schema extends z.ZodType = z.ZodType> {
  readonly env: string;
  /** Without the dashes. Undefined for a secret: every user of the machine can read flags in the process list. */
  readonly flag: string | undefined;
  /** Name of the flag's value in the help; undefined for a flag without a value. */
  readonly value: string | undefined;
  readonly help: string;
  readonly schema: Schema;
}

export function setting<Schema extends z.ZodType>(
  env: string,
  value: string | undefined,
  help: string,
  schema: Schema,
): Setting<Schema> {
  return { env, flag: env.replace('ACADEMY_', '').toLowerCase().replaceAll('_', '-'), value, help, schema };
}

export function secret<Schema extends z.ZodType>(env: string, help: string, schema: Schema): Setting<Schema> {
  return { env, flag: undefined, value: undefined, help, schema };
}

export function isSecret({ flag }: Setting): boolean {
  return flag === undefined;
}
