import { afterAll } from 'vitest';
import { runCleanup } from './cleanup.js';

// vitest runs this file before each test file, also where one process runs many of them (`setupFiles`).

/** A server of @hono/node-server puts classes of its own in their place; the next file starts with the real ones. */
const { Request, Response } = globalThis;

afterAll(async () => {
  Object.assign(globalThis, { Request, Response });
  await runCleanup();
});
