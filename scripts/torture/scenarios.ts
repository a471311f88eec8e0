/** What `npm run torture` runs in full: a test file that `npm test` runs in a short form. */
export interface Scenario {
  readonly name: string;
  /** The test file, from the top of the repository. */
  readonly file: string;
  /** Which of its tests, as a regular expression on their full names; all of them when absent. */
  readonly tests?: string;
  /** What it shows, in a few words for `--help`. */
  readonly shows: string;
}

/**
 * To add one: write a test in test/acceptance/ that takes its number of rounds from `rounds({ short, full })` and its
 * randomness from `seed` (test/support/torture.ts), give it a timeout that grows with the rounds, and name its file
 * here. An attack on a running node is made through an `AttackedNode` (test/support/attacked-node.ts): what another
 * client notices meanwhile becomes a line of the table.
 */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'crash',
    file: 'test/acceptance/crash.test.ts',
    shows: 'a node killed at any instant keeps every write that it acknowledged, and no half of a poll',
  },
  {
    name: 'connection-crash',
    file: 'test/acceptance/connection-crash.test.ts',
    shows: 'the same of connections and invites: each is accepted once, with its exchange',
  },
  {
    name: 'poll-crash',
    file: 'test/acceptance/poll-crash.test.ts',
    shows: 'a node killed at any instant of a poll of thousands of changes: nothing lost, nothing invented',
  },
  {
    name: 'feed-crash',
    file: 'test/acceptance/feed-crash.test.ts',
    shows: 'the same a thousand times, at any moment of a poll by the feed: never a gap, never a zombie',
  },
  {
    name: 'feed',
    file: 'test/sync/peer/feed/history.test.ts',
    shows:
      'ten thousand histories of an origin and its readers, with crashes, backups, removals that are forgotten, lies',
  },
  {
    name: 'pins',
    file: 'test/registry/memory.test.ts',
    tests: 'histories of pins',
    shows: 'a thousand histories of promises, looks and sources: nobody pins what is not his',
  },
  {
    name: 'registry',
    file: 'test/registry/histories.test.ts',
    shows:
      'ten thousand histories of a registry, with restarts and failing commits, end as a naive model says',
  },
  {
    name: 'keep',
    file: 'test/keep/level-place.test.ts',
    shows: 'a commit on disk is there or not, whenever the process is killed',
  },
  {
    name: 'simulated',
    file: 'test/scripts/simulate/seeds.test.ts',
    shows: 'a thousand simulated networks of 20 nodes in which everything goes wrong, and no rule is broken',
  },
  {
    name: 'broken-rules',
    file: 'test/scripts/simulate/broken-rules.test.ts',
    shows: 'the simulation notices when one of ten rules is broken in the sources',
  },
  {
    name: 'linear-cost',
    file: 'test/http/linear-cost.test.ts',
    shows: 'whatever a request is made of, it costs as much as it is long: some 9,000 kinds of them',
  },
  {
    name: 'bench',
    file: 'test/scenario/bench.test.ts',
    shows: 'every row of the benchmark can be measured, in its tiny size',
  },
  {
    name: 'package',
    file: 'test/acceptance/package.test.ts',
    shows: 'the program works as it is installed: from its tarball, and from git, where npm builds it',
  },
  {
    name: 'documentation',
    file: 'test/acceptance/browser-docs.test.ts',
    shows: 'every page of the documentation is accessible, in light and dark',
  },
  {
    name: 'hostile',
    file: 'test/acceptance/network-hostile.test.ts',
    shows: 'peers and pods that fail, lie and change their word take nothing from the others',
  },
  {
    name: 'requests',
    file: 'test/acceptance/hostile-requests.test.ts',
    shows: 'requests of strangers keep no other client waiting',
  },
  {
    name: 'connections',
    file: 'test/acceptance/hostile-connections.test.ts',
    shows: 'nor do connections that pipeline 50 kB of requests, read nothing and close, on two engines',
  },
  {
    name: 'reading',
    file: 'test/acceptance/hostile-reading.test.ts',
    shows: 'nor do questions of strangers to a node of 100,000 components, namesakes and many documents',
  },
  {
    name: 'documents',
    file: 'test/acceptance/hostile-documents.test.ts',
    shows: 'nor do documents of strangers: posted, checked, in pods, of peers, and in sources of holders',
  },
  {
    name: 'components',
    file: 'test/acceptance/hostile-components.test.ts',
    shows:
      'nor does any route or page of a node with a heap of 512 MB that reads 500 of the largest components',
  },
  {
    name: 'rehearsal',
    file: 'test/acceptance/hostile-rehearsal.test.ts',
    shows: 'nor do rehearsals of hostile sources, and requests for them',
  },
  {
    name: 'learned',
    file: 'test/acceptance/network-bounds.test.ts',
    shows: 'learned pods that are heavy, silent or slow end no node and delay no configured pod',
  },
  {
    name: 'disk-full',
    file: 'test/acceptance/disk-full.test.ts',
    shows: 'on a full disk a node serves what it has, and takes writes again by itself',
  },
  {
    name: 'pauses',
    file: 'test/acceptance/postgres-pauses.test.ts',
    shows: 'a node on a shared database, paused at every step of a poll, brings back nothing old',
  },
  {
    name: 'high-availability',
    file: 'test/acceptance/high-availability.test.ts',
    shows:
      'the primary of three servers killed a hundred times: nothing acknowledged is lost, writing goes on',
  },
  {
    name: 'damage',
    file: 'test/registry/repair.test.ts',
    shows: 'after one flipped bit of rows, log or manifest, a repair leaves nothing but what was stored',
  },
];
