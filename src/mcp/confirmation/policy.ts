/**
 * When a tool that takes something away may run. `auto`: with `confirm: true`, and a client that can ask its human does.
 * `argument`: with `confirm: true`. `preview`: with the one-time code of the preview. `human`: only where the client can
 * ask its human. `block`: never. README: "Safety".
 */
export const confirmPolicies = ['auto', 'argument', 'preview', 'human', 'block'] as const;
export type ConfirmPolicy = (typeof confirmPolicies)[number];
