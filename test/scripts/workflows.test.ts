import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TOP } from '../support/docs.js';

const WORKFLOWS = readdirSync(`${TOP}.github/workflows`).map((name) => `.github/workflows/${name}`);

it.each([...WORKFLOWS, 'docs/examples/publish/publish.yml'])(
  '%s names each action by the hash of its commit, which nobody can move',
  (file) => {
    const used = [...readFileSync(TOP + file, 'utf8').matchAll(/uses: (\S+)/g)].map(([, action]) => action);
    expect(used.length).toBeGreaterThan(0);
    // A workflow of this repository is as safe as the one that names it.
    for (const action of used.filter((name) => !name?.startsWith('./')))
      expect(action).toMatch(/^[\w./-]+@[0-9a-f]{40}$/);
  },
);

it.each(WORKFLOWS)('%s runs commands and files that this repository has', (file) => {
  const text = readFileSync(TOP + file, 'utf8');
  const { scripts } = JSON.parse(readFileSync(`${TOP}package.json`, 'utf8'));
  for (const [, script = ''] of text.matchAll(/npm run ([\w:]+)/g))
    expect(Object.keys(scripts)).toContain(script);
  for (const [, path = ''] of text.matchAll(/(?:bash |uses: \.\/)(\S+)/g))
    expect([path, existsSync(TOP + path)]).toEqual([path, true]);
});
