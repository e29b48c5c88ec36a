import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { type Block, blocksOf, pages, read, root } from './pages.ts';
import { runBlocks, unrunnable } from './run-blocks.ts';

/** What a command may need that a test does not have. CONTRIBUTING.md explains the words. */
const needs = ['account', 'client', 'docker', 'issuer', 'npm', 'repository', 'server', 'time'];

const languages = ['sh', 'json', 'text', 'mermaid', 'ts', 'yaml', 'ini', 'nginx', 'caddy', 'sql'];

/** The first word of a line that somebody is to type into a terminal. */
const commandLine = /^(?:\w+=\S+ )*(?:npm|npx|node|curl|docker|claude|git|sudo|academy-mcp)(?: |$)/m;

const blocks = pages.flatMap(blocksOf);
const shell = blocks.filter(({ language }) => language === 'sh');

function needsOf({ marks }: Pick<Block, 'marks'>): string[] {
  return marks.flatMap((mark) => (mark.startsWith('needs=') ? mark.slice('needs='.length).split(',') : [mark]));
}

const toRun = shell.filter(({ marks }) => marks.length === 0);

/** Installing, building and the demo do the same in every document. */
function isRepeated(block: Block): boolean {
  const first = toRun.find(({ text }) => text === block.text);
  return block.text.startsWith('npm ci') && first !== block;
}

test('every block of a document has a language, and every command is in a block of shell', () => {
  expect(shell.length).toBeGreaterThan(20);
  for (const { page, language, text } of blocks) {
    expect(languages, `${page}: ${text}`).toContain(language);
    if (language !== 'sh') expect(text, page).not.toMatch(commandLine);
  }
});

test('every block of shell is run here, or says what it needs', () => {
  const unmarked = toRun.flatMap(({ page, text }) => unrunnable(text).map((command) => `${page}: ${command}`));
  expect(unmarked, 'mark the block, as CONTRIBUTING.md says').toEqual([]);
  for (const block of shell)
    expect(needs, `${block.page}: ${block.text}`).toEqual(expect.arrayContaining(needsOf(block)));
});

test('the README names the test command that .ci/run runs', () => {
  const [command = ''] = blocksOf('README.md')
    .filter(({ marks }) => marks.includes('needs=time'))
    .map(({ text }) => text);
  expect(read('.ci/run')).toContain(`\n${command}`);
});

test('a block that takes long, needs the network or changes the machine is not run', () => {
  for (const command of [
    'npm run bench',
    'npm ci && npm test',
    'npx -y academy-mcp',
    'git push',
    'KEY=x docker run y',
  ]) {
    expect(unrunnable(`${command}\n`), command).not.toEqual([]);
  }
  const good =
    'export A=$(node -e "1")\nnpm ci && npm run demo\ncurl http://127.0.0.1:3000/ \\\n  -d x\nA=b node dist/main.js doctor\n';
  expect(unrunnable(good)).toEqual([]);
});

test('the program that the commands start is the one that was built', () => {
  expect(existsSync(new URL(packageJson.bin['academy-mcp'], root)), 'run npm run build').toBe(true);
  expect(fileURLToPath(root)).not.toContain('node_modules');
});

for (const page of new Set(toRun.map((block) => block.page))) {
  test.concurrent(`the commands of ${page} run`, { timeout: 60_000 }, async ({ onTestFinished }) => {
    const ownBlocks = toRun.filter((block) => block.page === page && !isRepeated(block));
    await runBlocks(
      ownBlocks.map(({ text }) => text),
      onTestFinished,
    );
  });
}
