import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TOP } from '../support/docs.js';

it.each(['.github/workflows/release.yml', 'docs/examples/publish/publish.yml'])(
  '%s names each action by the hash of its commit, which nobody can move',
  (file) => {
    const used = [...readFileSync(TOP + file, 'utf8').matchAll(/uses: (\S+)/g)].map(([, action]) => action);
    expect(used.length).toBeGreaterThan(1);
    for (const action of used) expect(action).toMatch(/^[\w./-]+@[0-9a-f]{40}$/);
  },
);
