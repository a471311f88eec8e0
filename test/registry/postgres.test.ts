import { it } from 'vitest';
import { emptyDatabase, openedAt } from '../keep/postgres/postgres-engine.js';
import { cleanup } from '../support/cleanup.js';
import { postgresEngine } from '../support/engines.js';
import { component, openRegistry } from '../support/registry.js';
import { VirtualClock } from '../support/virtual-time.js';
import { waitFor } from '../support/wait-for.js';
import { registryContract } from './histories.js';

registryContract('postgres', postgresEngine, { runs: 4, nodes: 2 });

it('shows within a second what another node has written', async () => {
  const url = await emptyDatabase();
  const opened = async () => {
    const clock = new VirtualClock();
    const registry = await openRegistry(await openedAt(url, { clock }), { clock });
    cleanup(() => registry.close());
    return { registry, clock };
  };
  const [one, other] = [await opened(), await opened()];
  await waitFor(() => other.clock.sleeping > 0);
  await one.registry.upsertLocal([component('a')]);
  other.clock.pass(1_000);
  await waitFor(async () => (await other.registry.labels()).includes('a'));
});
