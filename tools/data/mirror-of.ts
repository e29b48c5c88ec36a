import type { DataMirror } from '../../src/mcp/data-mirror.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { AcademyError } from '../../src/shared/errors.ts';

/** The mirror of a call. These tools are listed only if there is one. */
export function mirrorOf({ mirror }: Pick<ToolContext, 'mirror'>): DataMirror {
  if (mirror !== undefined) return mirror;
  throw new AcademyError('invalid_settings', 'the mirror is off', { hint: 'Set ACADEMY_MIRROR to memory or a file.' });
}
