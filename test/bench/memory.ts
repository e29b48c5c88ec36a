import { readFileSync } from 'node:fs';

/** Bytes of memory that a process holds. */
export interface Memory {
  readonly now: number;
  readonly peak: number;
}

/** Memory of another process: only on Linux; undefined elsewhere and for a process that has ended. */
export function memoryOf(pid: number | undefined): Memory | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const bytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
    return { now: bytes('VmRSS'), peak: bytes('VmHWM') };
  } catch {
    return undefined;
  }
}
