import { expect, it } from 'vitest';
import { openedAt } from '../keep/postgres/postgres-engine.js';
import { cleanup } from '../support/cleanup.js';
import { postgresEngines } from '../support/engines.js';
import { component, openRegistry, type TestOptions } from '../support/registry.js';
import { newDatabase } from '../support/shared-server.js';
import { VirtualClock } from '../support/virtual-time.js';
import { waitFor } from '../support/wait-for.js';
import { registryContract } from './histories.js';
import { POD_A } from './sources.js';

registryContract('postgres', postgresEngines(), { runs: 4, nodes: 2 });

async function opened(url: string, more: TestOptions = {}) {
  const clock = new VirtualClock();
  const registry = await openRegistry(await openedAt(url, { clock }), { clock, ...more });
  cleanup(() => registry.close());
  return { registry, clock };
}

it('shows within a second what another node has written', async () => {
  const url = await newDatabase();
  const [one, other] = [await opened(url), await opened(url)];
  await waitFor(() => other.clock.sleeping > 0);
  await one.registry.upsertLocal([component('a')]);
  other.clock.pass(1_000);
  await waitFor(async () => (await other.registry.labels()).includes('a'));
});

it('reads documents again when the vocabulary changes, although there are no quads to be written anew', async () => {
  const url = await newDatabase();
  await (await opened(url)).registry.say(POD_A, [component('a')]);
  const { registry } = await opened(url, { namespace: 'https://other.example/voc#' });
  expect(await registry.labels()).toEqual(['a']);
  expect((await registry.source(POD_A))?.documents.get(`${POD_A.url}doc`)).toEqual({ components: 1 });
});
