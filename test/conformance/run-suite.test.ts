import { expect, test } from 'vitest';
import { scenariosOf } from './run-suite.ts';

const begin = 'Running active suite (2 scenarios) against http://127.0.0.1:1/mcp\n';
const first = '\n=== Running scenario: ping ===\nRunning client scenario\n';
const second = '\n=== Running scenario: tools-list ===\n';
const summary = '\n\n=== SUMMARY ===\n✓ ping: 1 passed\n';

test('a complete run lists its scenarios, even if some of them fail', () => {
  for (const code of [0, 1]) {
    expect(scenariosOf({ code, output: begin + first + second + summary })).toEqual(['ping', 'tools-list']);
  }
});

test('an incomplete run or an unexpected exit code is an error', () => {
  const outputs = ['', begin, begin + summary, begin + first, begin + first + summary, begin + first + second];
  for (const output of [...outputs, first + second + summary]) {
    expect(() => scenariosOf({ code: 0, output }), output).toThrow('the suite ended');
  }
  for (const code of [2, 13, 127, null]) {
    expect(() => scenariosOf({ code, output: begin + first + second + summary })).toThrow(`with code ${code}`);
  }
});
