import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/sandbox.ts';
import { read } from './deploy-files.ts';

export function untilTestEnds(child: ChildProcess): ChildProcess {
  onTestFinished(() => void child.kill('SIGTERM'));
  return child;
}

/** The file with a pattern replaced that must be there. */
export function withReplaced(text: string, replaced: readonly (readonly [pattern: RegExp, by: string])[]): string {
  return replaced.reduce((done, [pattern, by]) => {
    expect(done).toMatch(pattern);
    return done.replace(pattern, by);
  }, text);
}

/** deploy/nginx.conf with replicas on these ports. Without TLS: that is no question of replicas. */
export function siteWithReplicas([first, second]: readonly [number, number], port: number): string {
  return withReplaced(read('deploy/nginx.conf'), [
    [/127\.0\.0\.1:3000/, `127.0.0.1:${first}`],
    [/# (server 127\.0\.0\.1:)3001/, `$1${second}`],
    [/listen 443 ssl http2/, `listen 127.0.0.1:${port}`],
    [/ssl_certificate .*\n/, ''],
    [/ssl_certificate_key .*\n/, ''],
    [/server_name .*\n/, ''],
  ]);
}

/** deploy/replicas.nginx.conf with replicas on these ports of this machine. Debian's nginx does not resolve names later. */
export function siteOfCompose([first, second]: readonly [number, number], port: number): string {
  return withReplaced(read('deploy/replicas.nginx.conf'), [
    [/resolver .*\n/, ''],
    [/academy-mcp-1:3000 resolve/, `127.0.0.1:${first}`],
    [/academy-mcp-2:3000 resolve/, `127.0.0.1:${second}`],
    [/listen 3000/, `listen 127.0.0.1:${port}`],
  ]);
}

/** Starts nginx with the text of a file for conf.d. It ends with the test. */
export function startNginx(site: string, errorLog = 'stderr'): void {
  const folder = temporaryFolder();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const paths = temporary.map((each) => `${each}_temp_path ${folder}/${each};`).join(' ');
  const file = join(folder, 'nginx.conf');
  const head = `daemon off; pid ${folder}/pid; error_log ${errorLog}; events {}`;
  writeFileSync(file, `${head} http { access_log off; ${paths} ${site} }`);
  // Runs as the user of the test: root would give up its rights, and could not write here.
  untilTestEnds(spawn('nginx', ['-p', folder, '-c', file, '-g', 'user root;'], { stdio: 'ignore' }));
}
