import { describe, expect, it } from 'vitest';
import { postJson } from '../../support/node/post-json.js';
import { component, createTestApp } from '../adapters/registry-app.js';

const MANY = 3000;
const keys = Array.from({ length: MANY }, (_, i) => `key${i}`);
const unknown = Object.fromEntries(keys.map((key) => [key, 1]));

describe('an input with very many faults', () => {
  it.each([
    ['a query', '/component/query', postJson(Object.fromEntries(keys.slice(0, 900).map((key) => [key, 1])))],
    ['a component', '/component', postJson({ ...component('https://c.example/a.js'), ...unknown })],
    ['parameters', `/component?${keys.slice(0, 900).join('&')}`, {}],
  ])('is told of the first twenty, and of how many more there are: %s', async (_, path, init) => {
    const { app } = await createTestApp();
    const response = await app.request(path, init);
    const text = await response.text();
    expect([response.status, text.length < 10_000]).toEqual([422, true]);
    const { errors, detail } = JSON.parse(text);
    expect(errors).toHaveLength(20);
    // A component with so many faults is not looked at to the end.
    const others = path === '/component' ? 'at least 80' : 900 - 20;
    expect(detail).toMatch(new RegExp(`; the first 20 faults are named, and there are ${others} more$`));
  });
});

describe('a query of more members than any that means something', () => {
  const values = Array.from({ length: 64 }, (_, i) => `https://x.example/${i}`);
  const largest = { shapes: values, shape: values, tag: values, author: values, q: 'x', label: 'x' };

  it.each<[string, unknown, RegExp | undefined]>([
    ['the largest one that means something', largest, undefined],
    ['very many names', unknown, /more than 1000 members/],
    ['very many values', { shapes: keys }, /more than 1000 members/],
    ['very deep', { q: JSON.parse('['.repeat(50) + ']'.repeat(50)) }, /nested more than 10 deep/],
  ])('is refused before it is looked at: %s', async (_, body, why) => {
    const { app } = await createTestApp();
    const response = await app.request('/component/query', postJson(body as object));
    const text = await response.text();
    expect(response.status).toBe(why ? 422 : 200);
    if (why) expect(text).toMatch(why);
  });
});
