import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { architectureFaults } from '../../scripts/layers/architecture.js';
import { RULES } from '../../scripts/layers.js';
import { tempDir } from '../support/temp-dir.js';

type Tree = Record<string, string>;

/** Where a repository is that holds these files, by path. */
async function written(tree: Tree): Promise<string> {
  const root = await tempDir();
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const faultsOf = async (tree: Tree) => architectureFaults(await written(tree), RULES);

/** Comments, texts, dates of something and methods. */
const HARMLESS = [
  '// fetch(x), process.env, new Date()',
  '/* setTimeout( */',
  'const words = \'Date.now()\' + "Math.random()";',
  "const url = /^https?:\\/\\//.test(words) ? 'http://x' : words; // fetch('x')",
  'export const date = new Date(1) ?? parts.fetch(url);',
];

const GOOD: Tree = {
  'README.md': '',
  '.gitignore': '',
  'src/lib/clock.ts': 'export const now = () => Date.now();\nsetTimeout(now, 1);\n',
  'src/lib/fetch/guarded-fetch.ts':
    "import { fetch } from 'undici';\nexport type GuardedFetch = typeof fetch;\nfetch('x');\n",
  'src/lib/http/server/server.ts': "export { serve } from '@hono/node-server';\nexport const port = 0;\n",
  'src/config.ts': 'export const env = process.env;\n',
  'src/registry/registry.ts': 'export type Registry = object;\n',
  'src/keep/level/store.ts': "import { Quadstore } from 'quadstore';\nexport type Store = Quadstore;\n",
  'src/node/given.ts': "import type { Store } from '../keep/level/store.js';\nexport type Given = Store;\n",
  'src/sync/pod.ts':
    "import type { GuardedFetch } from '../lib/guarded-fetch.js';\nexport const read = (fetch: GuardedFetch) => fetch('x');\n",
  'src/http/app.ts':
    "import type { IncomingMessage } from 'node:http';\nimport type { Registry } from '../registry/registry.js';\nexport type Parts = [Registry, IncomingMessage];\n",
  'src/node.ts':
    "import { serve } from './lib/http/server/server.js';\nimport { read } from './sync/pod.js';\nimport type { Parts } from './http/app.js';\nexport const node = (parts: Parts) => [serve, read, parts];\n",
  'src/main.ts': "import { node } from './node.js';\nconsole.log(node);\n",
  'src/sync/harmless.ts': HARMLESS.join('\n'),
  // Rooms that never meet share what stands beside them.
  'src/sync/source.ts': 'export interface Source { url: string }\n',
  'src/sync/peer/poll.ts':
    "import type { Source } from '../source.js';\nexport const poll = (of: Source) => of.url;\n",
  'src/sync/peer/more.ts': "import { poll } from './poll.js';\nexport const more = [poll];\n",
  'src/sync/pod/read.ts':
    "import type { Source } from '../source.js';\nexport const at = (s: Source) => s;\n",
  // Tests from outside may know types of the sources; all else is for their adapters.
  'test/acceptance/adapters/node.ts': "import { node } from '../../../src/node.js';\nnode();\n",
  'test/acceptance/of-a-node.test.ts': "import './adapters/node.js';\nimport '../support/start.js';\n",
  'test/support/start.ts': "import type { Parts } from '../../src/http/app.js';\nlet x: Parts;\n",
};

it('a good tree has no faults', async () => {
  expect(await faultsOf(GOOD)).toEqual([]);
});

it('a tree without sources is not taken for a good one', async () => {
  await expect(faultsOf({ 'README.md': '' })).rejects.toThrow(/ENOENT.*src/);
});

const CYCLE = ['peer/poll', 'source', 'peer/poll'].map((name) => `src/sync/${name}.ts`).join(' -> ');

/** Files that do not belong into a good tree, each with what is said of it. */
const FAULTY: readonly (readonly [path: string, text: string, fault: string])[] = [
  ['src/lib/x.ts', "import { x } from '../config.js';", 'imports src/config.ts from a higher'],
  ['src/lib/x.ts', "import type { X } from '../node.js';", 'imports src/node.ts'],
  ['src/lib/x.ts', "await import('../node.js');", 'imports src/node.ts'],
  ['src/http/app.ts', "import type { S } from '../keep/level/store.js';", 'may not import src/keep/level'],
  ['src/sync/x.ts', "import type { A } from '../http/app.js';", 'imports src/http/app.ts from its'],
  ['src/sync/pod/x.ts', "import type { P } from '../peer/p.js';", 'may not import src/sync/peer/p.ts'],
  ['src/misc/x.ts', 'export const x = 1;', 'is in no layer'],
  ['src/sync/x.ts', "import { Quadstore } from 'quadstore';", 'may not import quadstore'],
  ['src/sync/x.ts', "import { request } from 'undici';", 'may not import undici'],
  ['src/sync/x.ts', "import 'node:net';", 'may not import node:net'],
  ['src/http/x.ts', "import { serve } from '@hono/node-server';", 'may not import @hono'],
  ['src/sync/x.ts', '\nconst x = globalThis.fetch;', ':2: may not use globalThis.fetch'],
  ['src/sync/x.ts', 'const x = global.fetch;', 'may not use global.fetch'],
  ['src/host/x.ts', 'new WebSocket(x);', 'may not use WebSocket'],
  ['src/pages/browser/x.ts', 'new window.XMLHttpRequest();', 'may not use XMLHttpRequest'],
  ['src/pages/data/script.ts', 'new EventSource(x);', 'may not use EventSource'],
  ['src/sync/x.ts', 'const x = setTimeout;', 'may not use setTimeout'],
  ['src/lib/pace.ts', 'setInterval(x, 1);', 'may not use setInterval'],
  ['src/sync/x.ts', '(globalThis as Any).setTimeout(x, 1);', 'may not use setTimeout'],
  ['src/lib/clock.ts', 'global.setImmediate(x);', 'may not use setImmediate'],
  ['src/host/x.ts', 'setImmediate(x);', 'may not use setImmediate'],
  ['src/sync/x.ts', "const x = process['env'];", 'may not use process['],
  ['src/sync/x.ts', 'const x = new Date();', 'may not use new Date()'],
  ['src/sync/x.ts', 'const x = Math.random();', 'may not use Math.random('],
  ['src/sync/x.ts', "// all\nexport * from './pod.js';\n", 'only re-exports'],
  ['src/sync/x.ts', "import { read } from './pod.js';\nexport { read };\n", 'only re-exports'],
  ['src/sync/x.ts', "import type { X } from './pod.js';\nexport type { X };\n", 'only re-exports'],
  ['src/sync/source.ts', "import type { poll } from './peer/poll.js';", `import cycle: ${CYCLE}`],
  ['test/acceptance/x.test.ts', "import { node } from '../../src/node.js';", 'imports src/node.ts, which'],
  ['test/support/start.ts', "import { node } from '../../src/node.js';", 'imports src/node.ts, which'],
];

it.each(FAULTY)('reports %s: %j', async (path, text, fault) => {
  const [said, ...others] = await faultsOf({ ...GOOD, [path]: text });
  expect([said, others]).toEqual([expect.stringContaining(fault), []]);
  expect(said).toContain(path);
});

it('the linter leaves a global fetch to pages', async () => {
  const [code, config] = ['fetch(x);\n', readFileSync('biome.json', 'utf8')];
  const tree = { 'src/sync/x.ts': code, 'src/lib/clock.ts': code, 'src/pages/browser/x.ts': code };
  const root = await written({ ...tree, 'biome.json': config });
  const args = ['lint', '--vcs-enabled=false', '--reporter=github'];
  const { stdout } = spawnSync(resolve('node_modules/.bin/biome'), args, { cwd: root, encoding: 'utf8' });
  const found = [...stdout.matchAll(/noRestrictedGlobals,file=.*?(src.*?),line/g)].map(([, path]) => path);
  expect(found.sort()).toEqual(['src/lib/clock.ts', 'src/sync/x.ts']);
});
