import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, stepCountIs, type ToolSet } from 'ai';
import { inScope } from '../support/at-end.ts';
import { openWorld } from './academy.ts';
import { type Launch, launchOf, ownRequests } from './servers.ts';
import { type Score, score, type Task } from './task.ts';

/** What one play cost. Calls and tokens of an agent's command are not known. */
interface Cost {
  readonly answer: string;
  readonly calls?: number;
  /** What the model read and wrote, all steps together. */
  readonly tokens?: number;
}

export type Player = (instruction: string, server: Launch) => Promise<Cost>;

export interface Run extends Score, Cost {
  readonly seconds: number;
}

const maxSteps = 40;

/** The rules that every player gets besides the instruction. */
export const situation =
  'You work for the admin of an online academy and use its tools. Do what the admin asks, no more. Nobody can answer questions now: if something must be asked or cannot be done, say so in your answer and change nothing.';

/** A model behind an endpoint that speaks the chat completions of OpenAI. */
export function modelPlayer(endpoint: { model: string; baseURL: string; apiKey?: string | undefined }): Player {
  const { model, baseURL, apiKey } = endpoint;
  const provider = createOpenAICompatible({ name: 'endpoint', baseURL, ...(apiKey !== undefined && { apiKey }) });
  return async (instruction, server) => {
    const client = await createMCPClient({ transport: new StdioTransport({ ...server, stderr: 'ignore' }) });
    try {
      const { text, steps, totalUsage } = await generateText({
        model: provider(model),
        // The types of the two packages differ only in how they write optional fields.
        tools: (await client.tools()) as unknown as ToolSet,
        system: [situation, client.instructions ?? ''].join('\n\n'),
        prompt: instruction,
        stopWhen: stepCountIs(maxSteps),
      });
      const calls = steps.reduce((sum, step) => sum + step.toolCalls.length, 0);
      return { answer: text, calls, tokens: (totalUsage.inputTokens ?? 0) + (totalUsage.outputTokens ?? 0) };
    } finally {
      await client.close();
    }
  };
}

/** A command of the shell that reads the instruction from stdin, and prints its answer. `{config}` is its MCP configuration. */
export function agentPlayer(command: string): Player {
  return async (instruction, server) => {
    const folder = await mkdtemp(join(tmpdir(), 'academy-bench-'));
    try {
      const config = join(folder, 'mcp.json');
      await writeFile(config, JSON.stringify({ mcpServers: { academy: server } }));
      const child = spawn('sh', ['-c', command.replaceAll('{config}', config)], { stdio: ['pipe', 'pipe', 'inherit'] });
      const chunks: Buffer[] = [];
      child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
      child.stdin.on('error', () => {}).end(`${situation}\n\n${instruction}\n`);
      await once(child, 'close');
      if (child.exitCode !== 0) throw new Error(`the agent ended with ${child.exitCode ?? child.signalCode}`);
      return { answer: Buffer.concat(chunks).toString('utf8') };
    } finally {
      await rm(folder, { recursive: true });
    }
  };
}

export const runTask = (task: Task, player: Player, server: string): Promise<Run> =>
  inScope(async () => {
    const world = await openWorld(task.arrangement);
    const launch = await launchOf(server, world);
    const started = performance.now();
    const cost = await player(task.instruction, launch);
    const seconds = (performance.now() - started) / 1000;
    return { ...(await score(task, world, cost.answer, ownRequests(server))), ...cost, seconds };
  });
