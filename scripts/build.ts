import { cp, writeFile } from 'node:fs/promises';
import { bundle, packagesIn, type Vendored, vendoredIn } from './bundle.ts';
import { type Licensed, licencesText, licensedIn } from './licences.ts';
import { buildPages } from './pages.ts';

const outdir = 'dist';
const folders = packagesIn(await bundle(outdir));
const packages = await Promise.all(folders.map((folder) => licensedIn(folder)));
const isThere = ({ name, version }: Vendored) => packages.some((one) => one.name === name && one.version === version);

/** Its licence is read from the same package as installed here, in any version. */
async function licensedAs({ name, version }: Vendored): Promise<Licensed> {
  return { ...(await licensedIn(`node_modules/${name}`)), version };
}

const others = (await vendoredIn(outdir)).filter((one) => !isThere(one));
const all = [...packages, ...(await Promise.all(others.map(licensedAs)))];
const sorted = all.toSorted((one, other) => (one.name < other.name ? -1 : 1));
await writeFile(`${outdir}/THIRD-PARTY-LICENSES.txt`, licencesText(sorted));
await buildPages(`${outdir}/apps`);
await cp('skills', `${outdir}/skills`, { recursive: true });
// The files that check Node before they import the program: packages start these.
await cp('scripts/package/launcher', outdir, { recursive: true });
