/** Code whose changes tests must notice, and the tests that try it. They start no other program. */
export const areas: Readonly<Record<string, { readonly mutate: string; readonly tests: readonly string[] }>> = {
  writes: { mutate: 'src/api/writes/**/*.ts', tests: ['test/api/writes/*.test.ts', 'test/tools/access.test.ts'] },
  confirmation: { mutate: 'src/mcp/confirmation/**/*.ts', tests: ['test/mcp/confirmation/*.test.ts'] },
  auth: {
    mutate: 'src/server/http/auth/**/*.ts',
    tests: ['test/security/{access-control,oauth,oauth-diagnosis}.test.ts'],
  },
};
