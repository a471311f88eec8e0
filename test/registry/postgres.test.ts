import { it } from 'vitest';
import { openedAt } from '../keep/postgres/postgres-engine.js';
import { cleanup } from '../support/cleanup.js';
import { postgresEngines } from '../support/engines.js';
import { component, openRegistry } from '../support/registry.js';
import { newDatabase } from '../support/shared-server.js';
import { VirtualClock } from '../support/virtual-time.js';
import { waitFor } from '../support/wait-for.js';
import { registryContracts } from './contracts.js';

registryContracts('postgres', postgresEngines(), 4);

it('shows within a second what another node has written', async () => {
  const [url, clock] = [await newDatabase(), new VirtualClock()];
  const one = await openRegistry(await openedAt(url));
  cleanup(() => one.close());
  const other = await openRegistry(await openedAt(url, { clock }), { clock });
  cleanup(() => other.close());
  await waitFor(() => clock.sleeping > 0);
  await one.upsertLocal([component('a')]);
  clock.pass(1_000);
  await waitFor(async () => (await other.labels()).includes('a'));
});
