import * as z from 'zod';
import { didYouMean } from '../config/closest-match.ts';

/** Names are in addresses of resources, labels of metrics and the audit log, so they have no other characters. */
export const plainName = z
  .string('must be a name')
  .regex(
    /^[a-z0-9][a-z0-9_-]{0,39}$/,
    'must be 1 to 40 lower-case letters, digits, hyphens or underscores, and start with a letter or digit',
  );

interface Named {
  readonly accounts: readonly { readonly name: string; readonly base_url: URL }[];
  readonly callers: readonly { readonly accounts: readonly string[] }[];
}

type Issue = z.core.$ZodRawIssue;

function problem(path: PropertyKey[], message: string, input: unknown): Issue {
  return { code: 'custom', path, message, input };
}

/** An address without the differences that lead to the same academy. */
export function addressOf({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/+$/, '');
}

/** Two accounts of one address would each use its whole request limit. */
function duplicates({ accounts }: Named): Issue[] {
  return accounts.flatMap(({ name, base_url }, index) => {
    const before = accounts.slice(0, index);
    const isNameTaken = before.some((other) => other.name === name);
    const sameAddress = before.find((other) => addressOf(other.base_url) === addressOf(base_url));
    return [
      ...(isNameTaken ? [problem(['accounts', index, 'name'], `is used twice: ${name}`, name)] : []),
      ...(sameAddress === undefined
        ? []
        : [problem(['accounts', index, 'base_url'], `is also the address of ${sameAddress.name}`, base_url.href)]),
    ];
  });
}

function unknownNames({ accounts, callers }: Named): Issue[] {
  const names = accounts.map(({ name }) => name);
  return callers.flatMap((caller, index) =>
    caller.accounts.flatMap((name, place) =>
      names.includes(name)
        ? []
        : [problem(['callers', index, 'accounts', place], `names no account${didYouMean(name, names)}`, name)],
    ),
  );
}

/** Names and addresses that occur twice, and accounts of callers that do not exist. */
export function uniqueProblems(file: Named): Issue[] {
  return [...duplicates(file), ...unknownNames(file)];
}
