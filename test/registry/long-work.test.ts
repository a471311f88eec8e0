import { beforeEach, expect, it } from 'vitest';
import { LOCAL } from '../../src/component/source.js';
import { component, memoryRegistry, type TestRegistry } from '../support/registry.js';
import { OK, POD_A } from './sources.js';

/** Whatever is done for each of many things gives way to readers on the way. */

const COUNT = 300;
let pauses = 0;
let registry: TestRegistry;
const names = Array.from({ length: COUNT }, (_, i) => component(`c${i}`));

beforeEach(async () => {
  const pace = () => () => {
    pauses += 1;
    return undefined;
  };
  registry = await memoryRegistry({ pace });
  await registry.upsertLocal(names);
  pauses = 0;
});

it('the list of pins, and that of changed ones, which looks at these alone', async () => {
  const pin = {
    source: LOCAL,
    document: LOCAL.url,
    first: 'sha384-a',
    last: 'sha384-a',
    since: 1,
    checked: 3,
  };
  const changed = { ...pin, last: 'sha384-b', changedAt: 2 };
  await registry.setPins(names.map(({ uri }, i) => ({ ...(i < 2 ? changed : pin), uri })));
  pauses = 0;
  expect((await registry.pins.list({ changed: true, limit: 9 })).length).toBe(2);
  expect(pauses).toBe(1);
  expect((await registry.pins.list({ limit: COUNT })).length).toBe(COUNT);
  expect(pauses).toBeGreaterThan(1);
});

it('a document that still says the same', async () => {
  const say = () =>
    registry.commit({
      source: POD_A,
      documents: [{ url: `${POD_A.url}doc`, components: names, record: {} }],
      record: OK,
    });
  await say();
  pauses = 0;
  expect(await say()).toMatchObject({ added: 0, changed: 0, removed: 0 });
  expect(pauses).toBeGreaterThanOrEqual(COUNT);
});
