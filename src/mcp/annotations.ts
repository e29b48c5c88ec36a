import type { Tool } from './tool.ts';

export interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** The four hints follow from what the operation does and what a second call would do. */
export function annotationsOf({ effect, repeat }: Pick<Tool, 'effect' | 'repeat'>): ToolAnnotations {
  return {
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'update' || effect === 'destroy',
    idempotentHint: repeat === 'safe' || repeat === 'same_effect',
    // One academy, known and closed: no tool reaches the open web.
    openWorldHint: false,
  };
}
