import { execFileSync } from 'node:child_process';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

/** System libraries of Chromium that small Linux images lack, by their packages in Debian and Ubuntu. */
const packages = ['libnss3', 'libnspr4', 'libgbm1', 'libfontconfig1', 'fonts-dejavu-core', 'fonts-noto-cjk'];

/** Our own choice, not the package's: its flags switch the security of the web off, which these tests rely on. */
const flags = ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none', '--hide-scrollbars'];

function missingLibraries(path: string): string[] {
  const lines = execFileSync('ldd', [path], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes('not found')).map((line) => line.trim());
}

/** The browser of CHROMIUM_PATH, or else of the package. */
export async function chromiumPath(): Promise<string> {
  return process.env.CHROMIUM_PATH || (await chromium.executablePath());
}

/** Installs the libraries that the browser lacks, if this system allows it. */
export async function installLibraries(): Promise<void> {
  if (process.platform !== 'linux') return;
  const missing = missingLibraries(await chromiumPath());
  if (missing.length === 0) return;
  const command = `apt-get update -qq && apt-get install -y -qq --no-install-recommends ${packages.join(' ')}`;
  if (process.getuid?.() !== 0) {
    throw new Error(`Chromium needs libraries that are missing here:\n${missing.join('\n')}\nAs root: ${command}`);
  }
  execFileSync('sh', ['-c', command], { stdio: 'inherit' });
}

let shared: Promise<Browser> | undefined;

/** One browser for all tests of a run, which ends with the process. Each test has a context of its own. */
export function sharedBrowser(): Promise<Browser> {
  shared ??= launch();
  return shared;
}

export async function launch(): Promise<Browser> {
  const env = { ...process.env, LANG: 'en_US.UTF-8' } as Record<string, string>;
  return await playwright.launch({ executablePath: await chromiumPath(), args: flags, headless: true, env });
}
