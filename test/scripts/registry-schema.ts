import * as z from 'zod';

// The parts of the MCP registry's schema 2025-12-11 that an npm package needs, written by hand from
// https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json. The strict objects also refuse
// misspelt fields, which the registry would ignore.

/** The registry takes one version, no range. */
const version = z
  .string()
  .max(255)
  .regex(/^\d+\.\d+\.\d+(-[\w.]+)?$/);

const input = z.strictObject({
  name: z.string(),
  description: z.string().optional(),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  default: z.string().optional(),
  placeholder: z.string().optional(),
  choices: z.array(z.string()).optional(),
});

const npmPackage = z.strictObject({
  registryType: z.literal('npm'),
  registryBaseUrl: z.literal('https://registry.npmjs.org'),
  identifier: z.string(),
  version,
  runtimeHint: z.literal('npx'),
  transport: z.strictObject({ type: z.literal('stdio') }),
  environmentVariables: z.array(input),
});

/** An image is named with its tag, and has no version field. */
const image = z.strictObject({
  registryType: z.literal('oci'),
  identifier: z.string().regex(/^ghcr\.io\/[a-z0-9._/-]+:\d+\.\d+\.\d+$/),
  runtimeHint: z.literal('docker'),
  transport: z.strictObject({ type: z.literal('stdio') }),
  packageArguments: z.array(
    z.strictObject({ type: z.literal('named'), name: z.string(), description: z.string(), default: z.string() }),
  ),
  environmentVariables: z.array(input),
});

/** A bundle needs the digest of its file. */
const bundle = z.strictObject({
  registryType: z.literal('mcpb'),
  identifier: z.url({ protocol: /^https$/ }),
  fileSha256: z.string().regex(/^[a-f0-9]{64}$/),
  transport: z.strictObject({ type: z.literal('stdio') }),
});

/** An entry of the MCP registry. */
export const registryEntry = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version,
  repository: z.strictObject({ url: z.url({ protocol: /^https$/ }), source: z.literal('github') }),
  packages: z.tuple([npmPackage, image]).rest(bundle),
});
