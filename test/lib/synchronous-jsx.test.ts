import { AsyncLocalStorage } from 'node:async_hooks';
import { jsx } from 'hono/jsx/jsx-runtime';
import { expect, it, onTestFinished, vi } from 'vitest';
import '../../src/lib/synchronous-jsx.js';

it('has views rendered without what makes every promise of the process dear', () => {
  const run = vi.spyOn(AsyncLocalStorage.prototype, 'run');
  onTestFinished(() => run.mockRestore());
  expect(String(jsx('b', { children: 'text' }))).toBe('<b>text</b>');
  expect(run).not.toHaveBeenCalled();
});
