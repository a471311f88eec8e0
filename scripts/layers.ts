/**
 * Proves the architecture (design, section 7) on the sources: prints a line per breach and exits 1.
 * The rules are the tables here; scripts/layers/ holds what applies them.
 */
import { fileURLToPath } from 'node:url';
import { architectureFaults, type Rules } from './layers/architecture.js';

/** Code of pages: the browser is its guard, and its clock is real. */
const PAGE_SCRIPTS = [
  ...['shell', 'data', 'network', 'publish'].map((page) => `src/pages/${page}/script.ts`),
  'src/pages/publish/script/',
];
const BROWSER = ['src/host/', 'src/pages/browser/', ...PAGE_SCRIPTS];

const inLib = (...names: string[]) => names.map((name) => `src/lib/${name}.ts`);
const inComponent = (...names: string[]) => names.map((name) => `src/component/${name}.ts`);
const inside = (room: string, ...others: string[]) => ({
  ...{ what: new RegExp(`^${room}`), types: true, only: [room, ...others] },
});

export const RULES: Rules = {
  /** From the bottom up: a file imports from its own layer and from those before it, types included. */
  layers: [
    // Plain functions for browsers and the node alike.
    [
      ...inLib('back-off', 'compare-text', 'counted', 'excerpt', 'sentence', 'grouped', 'faults'),
      ...inLib('trailing-slashes', 'script-types', 'http/headers/link-header', 'http/request/percent'),
      ...inLib('uri-template'),
      ...inComponent('source', 'integrity', 'canonical-shape'),
      ...['src/component/shape-names.json', 'src/publish/sentences.ts', 'src/publish/refused-document.ts'],
    ],
    [...inLib('bounded-json'), ...inComponent('provenance', 'shape-names')],
    inComponent('rdf/json-ld-bounds'),
    ['src/lib/'],
    ['src/config.ts', 'src/config/'],
    ['src/component/'],
    // Writing a document, proving that everybody may read it, waiting for nodes: by a browser, or by the command.
    ['src/publish/finding.ts'],
    ['src/publish/document.ts'],
    ['src/publish/receipt.ts'],
    // What runs in browsers: it knows nothing of the node, and the node nothing of it but its bundles.
    ['src/host/'],
    ['src/pages/browser/'],
    PAGE_SCRIPTS,
    // Decisions: functions from values to values.
    ['src/core/'],
    // What must survive: rows and quads, on three engines.
    ['src/keep/'],
    // From a package of npm to a document, checked, and to who lists it.
    ['src/publish/'],
    // The one structure that finds.
    ['src/catalog/'],
    // The one writer.
    ['src/registry/'],
    // What people are told: why, what became of something, how sources are.
    ['src/explain/'],
    // What comes with the software: the sets of components that a start may name, and data to show components with.
    ['src/shipped-set.ts', 'src/example-data.ts'],
    // Parts of one layer that never import one another: they meet in node.ts.
    ['src/sync/', 'src/http/'],
    // One folder a page: what the node knows as HTML.
    ['src/pages/'],
    ['src/connection/'],
    // Everything that a node holds, to a file and back, whatever the engine.
    ['src/transfer/'],
    ['src/node.ts', 'src/node/'],
    // The commands of the process.
    ['src/cli/'],
    ['src/main.ts'],
  ],

  /** Packages, built-in modules and the insides of rooms that only some places may import. */
  imports: [
    { what: /^(quadstore|(classic|abstract)-level)(\/|$)/, types: true, only: ['src/keep/level/'] },
    { what: /^pg(\/|$)/, types: true, only: ['src/keep/postgres/'] },
    { what: /^(undici|(node:)?(https?|http2|net|tls|dgram|dns))(\/|$)/, types: false, only: ['src/lib/'] },
    {
      what: /^@hono\/node-server(\/|$)/,
      types: true,
      only: inLib('http/server/server', 'http/response/sending'),
    },
    { what: /^(node:)?process$/, types: false, only: ['src/main.ts'] },
    // A pace gives way to other work between two pieces of work: no time passes on purpose.
    { what: /^(node:)?timers(\/|$)/, types: false, only: ['src/lib/clock.ts', 'src/lib/pace.ts'] },
    // Nobody else knows how an engine keeps things.
    inside('src/keep/level/', 'src/node/', 'src/cli/repair-verb.ts'),
    inside('src/keep/postgres/', 'src/node/', 'src/cli/'),
    inside('src/keep/memory/', 'src/node/'),
  ],

  /** Rooms of one part that never meet: what they share stands beside them. */
  apart: ['src/sync/discovery/', 'src/sync/peer/', 'src/sync/pod/'],

  /** Words of code that only some places may use: what reaches out, and what makes a run unrepeatable. */
  words: [
    // Many are given a fetch: that it is not the global one, the linter sees where no dot is before it.
    { what: /\b(globalThis|global|window|self)\s*\??\.\s*fetch\b/, only: BROWSER },
    { what: /\b(WebSocket|XMLHttpRequest)\b/, only: [] },
    { what: /\bEventSource\b/, only: ['src/pages/browser/live.ts'] },
    { what: /\bprocess\s*(\?\.|\.)\s*env\b|\bprocess\s*\[/, only: ['src/config.ts'] },
    // The log stamps its own lines: they are for people, and nothing is decided by them.
    {
      what: /\bDate\.now\s*\(|\bnew Date\s*(\(\s*\)|;)/,
      only: ['src/lib/clock.ts', 'src/lib/log.ts', ...BROWSER],
    },
    // Wrong in Node 20 and 22; src/lib/can-parse-url.ts says when.
    { what: /\bURL\.canParse\s*\(/, only: BROWSER },
    { what: /\bMath\.random\s*\(/, only: ['src/lib/clock.ts'] },
    // Of sockets and servers, it is the time for which nothing is sent: no clock says that.
    { what: /(?<!(socket|server)\??\.)\bset(Timeout|Interval)\b/, only: ['src/lib/clock.ts', ...BROWSER] },
    { what: /\bAbortSignal\.timeout\s*\(/, only: BROWSER },
    // Names and keys of the connection service, and of what is shared by several machines: a simulated network does without.
    {
      what: /\b(randomUUID|randomBytes|randomInt|getRandomValues)\b/,
      only: ['src/connection/', 'src/node/store-place.ts', ...BROWSER],
    },
    // How long something took, for the metrics; and when work gives way. Nothing else may depend on it.
    {
      what: /\bperformance\s*\.\s*now\s*\(/,
      only: [
        'src/lib/pace.ts',
        'src/http/operations/request-metrics.ts',
        'src/publish/module-text.ts',
        ...BROWSER,
      ],
    },
    { what: /\bsetImmediate\b|\bprocess\s*\.\s*nextTick\b/, only: ['src/lib/pace.ts'] },
  ],

  entries: ['src/host/host.ts'],

  /** What the top level of the repository may hold; names that start with a dot are free. */
  topLevel: [
    ...['src', 'test', 'scripts', 'docs', 'starter', 'node.config.json', 'Dockerfile'],
    ...['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.test.json', 'vitest.config.ts'],
    ...['biome.json', 'README.md', 'CONTRIBUTING.md', 'LICENSE', 'CHANGELOG.md'],
    // Made, and ignored by git.
    ...['node_modules', 'dist', 'data', 'coverage'],
  ],

  outside: { folder: 'test/acceptance/', adapters: 'test/acceptance/adapters/' },
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = architectureFaults(fileURLToPath(new URL('..', import.meta.url)), RULES);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
}
