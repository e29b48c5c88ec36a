import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const folder = new URL('../../.github/workflows/', import.meta.url);

interface Workflow {
  permissions: Record<string, string>;
  jobs: Record<string, { 'timeout-minutes'?: number }>;
}

async function readWorkflows(): Promise<{ name: string; text: string; workflow: Workflow }[]> {
  const names = await readdir(folder);
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')));
  return names.map((name, index) => ({ name, text: texts[index] ?? '', workflow: parse(texts[index] ?? '') }));
}

test('each action is pinned to a commit, beside the version that it is', async () => {
  const used = (await readWorkflows()).flatMap(({ text }) => text.match(/uses: .*/g) ?? []);
  expect(used.length).toBeGreaterThan(10);
  expect(used.filter((line) => !/^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
});

test('every workflow begins with few permissions, and every job ends', async () => {
  for (const { name, workflow } of await readWorkflows()) {
    if (name !== 'release.yml') expect(workflow.permissions, name).toEqual({ contents: 'read' });
    for (const job of Object.values(workflow.jobs)) expect(job['timeout-minutes'], name).toBeGreaterThan(0);
  }
});
