/** Groups of tools, by their names in ACADEMY_TOOLSETS. */
export const toolsets = [
  'account',
  'courses',
  'products',
  'community',
  'orders',
  'students',
  'access',
  'insights',
  'data',
] as const;
export type Toolset = (typeof toolsets)[number];
