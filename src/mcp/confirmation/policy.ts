import type { Effect } from '../../contract/operation.ts';

/**
 * When a destructive tool may run. `auto`: with `confirm: true`, and a client that supports elicitation asks a person.
 * `argument`: with `confirm: true`. `preview`: with the one-time code of the preview. `human`: only if the client can ask
 * a person. `block`: never. README: "Safety".
 */
export const confirmPolicies = ['auto', 'argument', 'preview', 'human', 'block'] as const;
export type ConfirmPolicy = (typeof confirmPolicies)[number];

/** Whether every call of a tool needs consent: it takes something away, or writes many things at once. */
export function needsConsent({ effect, consent }: { effect: Effect; consent?: boolean | undefined }): boolean {
  return effect !== 'read' && (effect === 'destroy' || consent === true);
}

/** Whether a tool has the argument `confirm`. Under lockdown every write has it, since any may need consent later. */
export function takesConfirm(tool: Parameters<typeof needsConsent>[0], lockdown: boolean): boolean {
  return needsConsent(tool) || (lockdown && tool.effect !== 'read');
}

/**
 * Key in `_meta` of a tool: a person approves every call, even of a tool that they have allowed before. A client without a person
 * refuses the call.
 */
export const interactionKey = 'anthropic/requiresUserInteraction';

/** ACADEMY_REQUIRE_INTERACTION: whether the tool list tells clients to ask a person before each call that needs consent. */
export const interactionPolicies = ['auto', 'on', 'off'] as const;
export type InteractionPolicy = (typeof interactionPolicies)[number];

/** `auto` is off under `argument`: that policy is for runs without a person, in which clients would refuse the call. */
export function requiresInteraction(interaction: InteractionPolicy, confirm: ConfirmPolicy): boolean {
  return interaction === 'on' || (interaction === 'auto' && confirm !== 'argument');
}
