/** Groups of tools, as ACADEMY_TOOLSETS names them. */
export const toolsets = [
  'account',
  'courses',
  'products',
  'community',
  'orders',
  'students',
  'access',
  'insights',
] as const;
export type Toolset = (typeof toolsets)[number];
