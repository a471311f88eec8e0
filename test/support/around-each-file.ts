import { afterAll, expect } from 'vitest';
import { runCleanup } from './cleanup.js';
import { sharedServer } from './shared-server.js';

// vitest runs this file before each test file, also where one process runs many of them (`setupFiles`).
// Those in these two folders run the program as it ships.
if (/\/test\/(acceptance|scenario)\//.test(expect.getState().testPath ?? '')) await sharedServer('program');
afterAll(() => runCleanup());
