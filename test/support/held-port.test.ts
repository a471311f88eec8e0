import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { expect, test } from 'vitest';
import { cleanup } from './cleanup.js';
import { FakeServer } from './fake-server.js';
import { heldPort } from './held-port.js';

/** More than a run of all tests asks for while one port is held. */
const OTHERS = 2_000;

test('a held port refuses connections until somebody listens there, and again afterwards', async () => {
  const port = await heldPort();
  const refusal = expect.objectContaining({ cause: expect.objectContaining({ code: 'ECONNREFUSED' }) });
  for (let turn = 0; turn < 3; turn++) {
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toEqual(refusal);
    const server = await new FakeServer(port).on('/', { body: 'here' }).open();
    expect(await (await fetch(server.url('/'))).text()).toBe('here');
    await server.close();
  }
});

test('a held port is given to nobody who asks for a free one', async () => {
  const held = await Promise.all(Array.from({ length: 20 }, heldPort));
  expect(new Set(held).size).toBe(20);
  const others: Server[] = [];
  cleanup(() => Promise.all(others.map((server) => once(server.close(), 'close'))));
  for (let i = 0; i < OTHERS; i++) {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    others.push(server);
  }
  const given = others.map((server) => (server.address() as AddressInfo).port);
  expect(given.filter((port) => held.includes(port))).toEqual([]);
});
