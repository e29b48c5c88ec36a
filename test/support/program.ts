import { type ChildProcess, spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { program } from './built.ts';

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  /** The output so far. */
  written: { stdout: string; stderr: string };
  ended: Promise<Ended>;
  send(...messages: object[]): void;
}

/** Starts the built program with exactly this environment and PATH. It ends with the test at the latest. */
export function start(args: string[], environment: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, [program, ...args], { env: { PATH: process.env.PATH, ...environment } });
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (written.stdout += chunk));
  child.stderr.on('data', (chunk: Buffer) => (written.stderr += chunk));
  child.stdin.on('error', () => {});
  const ended = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, ...written })));
  onTestFinished(() => void child.kill('SIGKILL'));
  const send = (...messages: object[]) => {
    for (const message of messages) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  return { child, written, ended, send };
}

/** The first messages of every client. */
export const hello = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  },
  { method: 'notifications/initialized' },
];

export function callOf(id: number, name: string, args: Record<string, unknown> = {}) {
  return { id, method: 'tools/call', params: { name, arguments: args } };
}

export function messagesIn(stdout: string): { id?: number; result?: Record<string, unknown>; error?: unknown }[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
