import { expect, test } from 'vitest';
import { Bystander } from './bystander.js';
import { cleanup } from './cleanup.js';
import { type FakeServer, fakeServer } from './fake-server.js';
import { waitFor } from './wait-for.js';

/** How long the server keeps one of the requests waiting, in ms. */
const STALL = 300;

async function served(): Promise<FakeServer> {
  const server = await fakeServer();
  cleanup(() => server.close());
  return server.on('/health', { body: {} });
}

/** Several requests more have come than so far. */
async function someMore(server: FakeServer): Promise<void> {
  const enough = server.requests.length + 5;
  await waitFor(() => server.requests.length > enough);
}

const watch = (server: FakeServer) => Bystander.watch({ url: server.origin, pid: process.pid });

test('a bystander notices the longest wait, and the memory and the threads of the process', async () => {
  const server = await served();
  const bystander = await watch(server);
  server.on('/health', [{ delayMs: STALL, body: {} }, { body: {} }]);
  await someMore(server);
  const noticed = await bystander.end();
  expect(noticed).toMatchObject({ failed: 0, asked: expect.any(Number) });
  // Timers may fire a millisecond early.
  expect(noticed.longestWaitMs).toBeGreaterThanOrEqual(STALL - 2);
  expect(noticed.medianWaitMs).toBeLessThan(STALL);
  expect(noticed.queuedMs).toBeLessThanOrEqual(noticed.longestWaitMs);
  expect(noticed.asked).toBeGreaterThan(4);
  expect(noticed.mostResidentMb).toBeGreaterThan(20);
  // The one that watches is among them.
  expect(noticed.mostThreads).toBeGreaterThan(2);
});

test('a bystander counts answers other than 200, and those that never come', async () => {
  const server = await served();
  const bystander = await watch(server);
  server.on('/health', [{ status: 503 }, { drop: true }, { body: {} }]);
  await someMore(server);
  expect((await bystander.end()).failed).toBe(2);
});
