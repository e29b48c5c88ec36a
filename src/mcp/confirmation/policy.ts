/**
 * When a destructive tool may run. `auto`: with `confirm: true`, and a client that supports elicitation asks a person.
 * `argument`: with `confirm: true`. `preview`: with the one-time code of the preview. `human`: only if the client can ask
 * a person. `block`: never. README: "Safety".
 */
export const confirmPolicies = ['auto', 'argument', 'preview', 'human', 'block'] as const;
export type ConfirmPolicy = (typeof confirmPolicies)[number];
