import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { isSecret, settingEntries } from '../../src/config/settings.ts';
import { read } from './deploy-files.ts';

interface Compose {
  services: { 'academy-mcp-1': { environment: Record<string, string | null> } };
}

test('compose.yaml passes every setting that is not a secret, except the address that the image sets', () => {
  const service = (parse(read('compose.yaml')) as Compose).services['academy-mcp-1'];
  const ofImage = ['ACADEMY_HTTP_HOST', 'ACADEMY_HTTP_PORT'];
  // A secret elsewhere; here it names the Redis of this file, which no other machine can reach.
  const inside = 'ACADEMY_REDIS_URL';
  const settings = settingEntries.filter(([, each]) => !isSecret(each)).map(([, each]) => each.env);
  const files = settingEntries.filter(([, each]) => isSecret(each)).map(([, { env }]) => `${env}_FILE`);
  const passed = Object.keys(service.environment).filter((name) => !files.includes(name) && name !== inside);
  expect(service.environment[inside]).toBe('redis://redis:6379/0');
  expect(passed.toSorted()).toEqual(settings.filter((env) => !ofImage.includes(env)).toSorted());
  expect(service.environment.ACADEMY_READ_ONLY).toBeNull();
});
