import { hits, personal, secrets } from './canaries.ts';
import { type RawProgram, startRaw } from './raw-program.ts';

const { key } = secrets;

/** Starts with a key or secret in a wrong place, or in a form that is refused. */
const wrongPlaces: readonly Record<string, string>[] = [
  { ACADEMY_API_KEY: `${key} ${key}` },
  { ACADEMY_BASE_URL: `https://user:${key}@academy.example.com` },
  { ACADEMY_BASE_URL: key },
  { ACADEMY_AUTH_SCHEME: key },
  { ACADEMY_CONFIRM: key },
  { ACADEMY_CONFIRM_SECRET: key.slice(0, 10), ACADEMY_LOCKDOWN: key },
  { ACADEMY_TOOLSETS: `orders,${key}` },
  { ACADEMY_RATE_LIMIT: key },
  { ACADEMY_TIMEOUT_MS: key },
  { LOG_LEVEL: key },
];

async function outputOf(program: RawProgram): Promise<string> {
  await program.end();
  return program.written.stdout + program.written.stderr;
}

/** Start-up errors, and `doctor` against an academy that repeats the key. */
export async function secretsAtStart(url: string): Promise<{ tried: number; failures: string[] }> {
  const right = { ACADEMY_BASE_URL: url, ACADEMY_API_KEY: key, ACADEMY_RATE_LIMIT: 'off' };
  const failuresOf = async (wrong: Record<string, string>) => {
    const output = await outputOf(startRaw([], { ...right, ...wrong }));
    const name = Object.keys(wrong).join(' and ');
    return [
      ...(output.startsWith('academy-mcp: ') ? [] : [`a wrong ${name} is no start-up error`]),
      ...hits(output, { key }).map(() => `the error of a wrong ${name} repeats it`),
    ];
  };
  const failures = (await Promise.all(wrongPlaces.map(failuresOf))).flat();
  const doctor = await outputOf(startRaw(['doctor'], right));
  failures.push(...hits(doctor, { key, email: personal.email }).map((word) => `doctor shows the ${word}`));
  return { tried: wrongPlaces.length + 1, failures };
}
