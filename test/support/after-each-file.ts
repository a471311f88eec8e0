import { afterAll } from 'vitest';
import { runCleanup } from './cleanup.js';

// vitest runs this file before each test file, also where one process runs many of them (`setupFiles`).
afterAll(() => runCleanup());
