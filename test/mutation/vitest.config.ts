import { defineConfig } from 'vitest/config';
import { shared } from '../../vitest.config.ts';
import { areas } from './areas.ts';

/** `run.ts` sets the area. */
const include = areas[process.env.MUTATION_AREA ?? '']?.tests ?? [];

export default defineConfig({ test: { ...shared, include: [...include], exclude: ['**/*.long.test.ts'] } });
