import { expect, test } from 'vitest';
import { withIntegrity } from '../../src/pages/browser/integrity.js';

const script = (options: string) =>
  `showComponent(component, 'https://pod.example/your/data', ${options}).catch((error) => {`;

test('the integrity of a module is written into its script, once', () => {
  const pinned = withIntegrity(script('{ into }'), 'sha384-a');
  expect(pinned).toBe(script("{ into, integrity: 'sha384-a' }"));
  expect(withIntegrity(pinned, 'sha384-b')).toBe(script("{ into, integrity: 'sha384-b' }"));
  const hostile = `tag: ['x\\', { into }).catch'],\n${script('{ into }')}`;
  expect(withIntegrity(hostile, 'sha384-a')).toContain("data', { into, integrity: 'sha384-a' }).catch");
  expect(withIntegrity(hostile, 'sha384-a')).toContain("['x\\', { into }).catch']");
});
