import type { AcademyError } from '../../shared/errors.ts';
import type { Json } from '../../shared/json.ts';
import type { Presented } from '../tool.ts';

/** The lines of a plan, as the text form shows them: each as it is, since a person agrees to them. */
function planText({ plan, ...facts }: Json): string[] {
  const lines = Array.isArray(plan) ? plan.map(String) : [];
  return [...lines, ...Object.entries(facts).map(([name, value]) => `${name}: ${String(value)}`)];
}

/** A plan that nobody has confirmed yet, as an answer instead of an error. It is never cut: nobody can agree to half of it. */
export function planAnswer(lines: readonly string[], { hint = '' }: Pick<AcademyError, 'hint'>): Presented {
  const [summary = '', ...plan] = lines;
  return {
    summary,
    data: { outcome: 'not_applied', effect: summary, plan, next: `Nothing was changed. ${hint}` },
    outline: ({ effect: _summary, ...data }) => planText(data),
    uncut: ['effect', 'plan', 'next'],
  };
}
