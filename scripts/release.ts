// `npm run release -- --repository OWNER/NAME --dry-run` makes everything that a release publishes, in build/release/, and says
// what a person must still do. Without --dry-run it also writes the owner into the files of this checkout. It publishes nothing.

import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import packageJson from '../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('..', import.meta.url));
const output = join(root, 'build/release');
/** The checkout with the owner filled in, where everything is built. */
const source = join(root, 'build/release-source');

/** Files that name the repository and are written by hand. `npm run docs` makes the others from package.json. */
const handWritten = ['package.json', 'Dockerfile'];
const generated = ['.claude-plugin/plugin.json', 'deploy/docker-catalog/server.yaml', 'glama.json', 'server.json'];

const { values } = parseArgs({
  options: { repository: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } },
});
const [, owner, name] = /^([A-Za-z0-9][A-Za-z0-9-]{0,38})\/([\w.-]{1,100})$/.exec(values.repository ?? '') ?? [];
if (owner === undefined || name === undefined)
  throw new Error('give --repository OWNER/NAME, such as acme/academy-mcp');

const [, before = ''] = /github\.com\/(.+)\.git$/.exec(packageJson.repository.url) ?? [];
const { version } = packageJson;

async function run(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { cwd: source, maxBuffer: 2 ** 26 });
  return stdout;
}

/** Copies what is committed or staged, and fills in the owner. */
async function copySource(): Promise<void> {
  for (const folder of [source, output]) await rm(folder, { recursive: true, force: true });
  execFileSync('git', ['checkout-index', '--all', `--prefix=${source}/`], { cwd: root });
  await symlink(join(root, 'node_modules'), join(source, 'node_modules'));
  for (const file of handWritten) {
    const text = await readFile(join(source, file), 'utf8');
    const filled = text
      .replaceAll(before, `${owner}/${name}`)
      .replaceAll(`io.github.${before.split('/')[0]}/`, `io.github.${owner}/`);
    await writeFile(join(source, file), filled);
  }
}

const sha256 = async (file: string) =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');

/** Builds tarball and bundle, adds the digest of the bundle to the entry of the registry, and takes the notes from CHANGELOG.md. */
async function build(): Promise<string[]> {
  await mkdir(output, { recursive: true });
  await run('npm', ['run', '--silent', 'docs']);
  await run('npm', ['run', '--silent', 'package']);
  await run('npm', ['run', '--silent', 'mcpb']);
  const packed = JSON.parse(await run('npm', ['pack', './build/npm', '--json', '--pack-destination', output]));
  const bundle = `academy-mcp.mcpb`;
  await cp(join(source, 'build', bundle), join(output, bundle));
  const entry = JSON.parse(await readFile(join(source, 'server.json'), 'utf8'));
  const identifierOfBundle = `https://github.com/${owner}/${name}/releases/download/v${version}/${bundle}`;
  const fileSha256 = await sha256(join(output, bundle));
  const transport = { type: 'stdio' };
  entry.packages.push({ registryType: 'mcpb', identifier: identifierOfBundle, fileSha256, transport });
  await writeFile(join(output, 'server.json'), `${JSON.stringify(entry, undefined, 2)}\n`);
  const [, newest = ''] = (await readFile(join(root, 'CHANGELOG.md'), 'utf8')).split(/^## .*$/m);
  await writeFile(join(output, 'NOTES.md'), `${newest.trim()}\n`);
  const { identifier } = entry.packages.find(({ registryType }: { registryType: string }) => registryType === 'oci');
  await writeFile(join(output, 'image.txt'), `${identifier}\n`);
  return [packed[0].filename, bundle, 'server.json', 'NOTES.md', 'image.txt'];
}

await copySource();
const files = await build();
const sums = await Promise.all(files.map(async (file) => `${await sha256(join(output, file))}  ${file}`));
await writeFile(join(output, 'SHA256SUMS'), `${sums.join('\n')}\n`);
if (!values['dry-run'])
  for (const file of [...handWritten, ...generated]) await cp(join(source, file), join(root, file));
await rm(source, { recursive: true });
process.stdout.write(`Made in build/release for ${owner}/${name}, version ${version}:
${[...files, 'SHA256SUMS'].map((file) => `  ${file}`).join('\n')}
${values['dry-run'] ? 'Nothing in this checkout was changed.' : `The owner was written into ${[...handWritten, ...generated].join(', ')}.`}
A person must still:
  1. give the version its heading and date in CHANGELOG.md, and commit;
  2. own the npm package and set the secret NPM_TOKEN of the repository;
  3. push the tag v${version}: the workflow Release publishes package, bundle, image and attestations;
  4. publish build/release/server.json with mcp-publisher, signed in as ${owner};
  5. propose deploy/docker-catalog/ to Docker's catalogue with the commit, and claim the entry at Glama.
`);
