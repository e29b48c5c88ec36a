import type { Tool } from './tool.ts';

export interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** `effect` and `repeat` determine the four hints. */
export function annotationsOf({ effect, repeat }: Pick<Tool, 'effect' | 'repeat'>): ToolAnnotations {
  return {
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'update' || effect === 'destroy',
    idempotentHint: repeat === 'safe' || repeat === 'same_effect',
    // The tools reach one academy and not the open web.
    openWorldHint: false,
  };
}
