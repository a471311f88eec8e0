import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const TOP = fileURLToPath(new URL('../..', import.meta.url));

/** In a process of its own: what a view needs is looked for once, when the first one is rendered. */
const PROGRAM = `
import { AsyncLocalStorage } from 'node:async_hooks';
import './src/lib/synchronous-jsx.ts';
import { jsx } from 'hono/jsx/jsx-runtime';
let runs = 0;
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...given) { runs += 1; return run.apply(this, given); };
console.log(String(jsx('b', { children: 'text' })), runs, typeof process.getBuiltinModule);
`;

it('has views rendered without what makes every promise of the process dear', async () => {
  const node = ['--import', 'tsx', '--input-type=module', '--eval', PROGRAM];
  const { stdout } = await promisify(execFile)(process.execPath, node, { cwd: TOP });
  expect(stdout.trim()).toBe('<b>text</b> 0 function');
});
