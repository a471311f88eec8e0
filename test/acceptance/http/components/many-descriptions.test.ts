import { beforeAll, describe, expect, it } from 'vitest';
import type { Source } from '../../../../src/component/source.js';
import { component, createTestApp, type TestApp } from '../../adapters/registry-app.js';

const URI = 'https://cdn.example/popular.js';
const POD: Source = { kind: 'pod', url: 'https://pod.example/' };
const COUNT = 500;

/** How often whoever makes the answer has asked whether to pause. */
let breaths = 0;
let test: TestApp;
beforeAll(async () => {
  const pace = () => () => {
    breaths += 1;
    return undefined;
  };
  test = await createTestApp({}, { pace });
  const documents = Array.from({ length: COUNT }, (_, i) => ({
    ...{ url: `${POD.url}${i}.ttl`, record: {} },
    components: [component(URI, { label: `Label ${i}` })],
  }));
  await test.registry.commit({ source: POD, documents, record: { failures: 0 } });
});

/** The text of an answer, and how often each description was followed by a chance to pause. */
async function get(path: string, accept: string): Promise<{ text: string; breathsEach: number }> {
  breaths = 0;
  const response = await test.app.request(path, { headers: { accept } });
  const text = await response.text();
  expect(response.status, text.slice(0, 500)).toBe(200);
  return { text, breathsEach: Math.floor(breaths / COUNT) };
}

describe(`a component with ${COUNT} descriptions costs others little`, () => {
  it('why it is served: all for programs, the first of them on the page', async () => {
    const page = await get(`/why?uri=${URI}`, 'text/html');
    expect(page.text.match(/<li><strong>/g)).toHaveLength(100);
    expect(page.text).toContain('and 400 more');
    const { text } = await get(`/why?uri=${URI}`, 'application/json');
    expect(JSON.parse(text).statements).toHaveLength(COUNT);
  });

  it('its page, which lists the first of them', async () => {
    const { text } = await get(`/c/${URI}`, 'text/html');
    const told = text.match(/this description is served|not served: the first one is/g);
    const others = Array(19).fill('not served: the first one is');
    expect(told).toEqual(['this description is served', ...others]);
    expect(text).toMatch(/Described by 500 sources.*Why is this one served\?.*and 480 more/s);
  });

  it('all of its graphs, with a chance to pause after each', async () => {
    const { text, breathsEach } = await get(`/c/${URI}?graphs=all`, 'application/n-quads');
    expect(text.match(/"Label \d+"/g)).toHaveLength(COUNT);
    expect(breathsEach).toBe(1);
  });
});
