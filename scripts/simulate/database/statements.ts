import { sourceKey } from '../../../src/component/source.js';
import type { MemoryData } from '../../../src/store/memory/memory-data.js';
import type { Head } from '../../../src/store/postgres/writing/head.js';
import { type LeaseRow, numberOf, sourceWithKey, summariesIn, type Tables, withHead } from './tables.js';

/** What a statement finds, and what it leaves where it changes something. */
export interface Done {
  readonly rows?: readonly object[];
  readonly tables?: Tables;
}

interface Asked {
  readonly text: string;
  /** Ms since the Unix epoch. */
  readonly now: number;
}

type Run = (tables: Tables, values: readonly unknown[], asked: Asked) => Done;

/** All that is stored beside what other statements name. It stands for the many statements of a commit, and of a page. */
export const READ_ALL = 'SELECT everything';
export const LOCK_ALL = 'SELECT everything FOR UPDATE';
export const WRITE_ALL = 'UPDATE everything';
/** That a node has stored the record of a source after a poll, as a commit of the engine notes it. */
export const NOTE_POLL = 'UPDATE polls';

const NONE: Done = { rows: [] };
const HOUR = 3_600_000;

/** The statements of src/store/postgres/ that decide who may write, and which history is told, and what each of them does. */
const STATEMENTS: readonly (readonly [RegExp, Run])[] = [
  [/^SELECT everything/, (tables) => ({ rows: [{ tables }] })],
  [
    /^UPDATE everything/,
    of(([data, read]: [MemoryData, Tables['read']], tables) => ({
      tables: withData(tables, data, read),
    })),
  ],
  // The head, and the states that are remembered.
  [
    /^INSERT INTO registry\.head/,
    of(([epoch, now]: [string, number], tables) => withFirst(tables, epoch, now)),
  ],
  [/^SELECT h\.version, h\.mark, p\.number/, ({ head, polls }) => ({ rows: [{ ...head, polls }] })],
  [
    /AS summaries/,
    (tables) => ({ rows: tables.head ? [{ ...tables.head, summaries: summariesIn(tables) }] : [] }),
  ],
  [/FROM registry\.head AS h WHERE h\.id = 1 FOR UPDATE OF h/, ({ head }) => ({ rows: head ? [head] : [] })],
  [/^UPDATE registry\.head/, (tables, values, { text }) => moved(tables, values, text)],
  [
    /^INSERT INTO registry\.state/,
    of(([position, digest]: [number, string], tables) => {
      const { epoch = '' } = tables.head ?? {};
      const states = [...tables.data.states, { epoch, position, digest }];
      return { tables: { ...tables, data: { ...tables.data, states } } };
    }),
  ],
  [
    /^SELECT digest FROM registry\.state/,
    of(([position]: [number], { data }) => ({
      rows: data.states.filter((state) => state.position === position),
    })),
  ],
  [/FROM registry\.tombstone/, () => NONE],
  // What is remembered of sources, and who has polled them.
  [
    /^SELECT record FROM registry\.source/,
    of(([key]: [string], tables) => {
      const { record } = sourceWithKey(tables, key) ?? {};
      return { rows: record ? [{ record: JSON.stringify(record) }] : [] };
    }),
  ],
  [
    /^UPDATE polls/,
    of(([id, by]: [number, string], tables) => {
      const number = tables.polls + 1;
      return { tables: { ...tables, polls: number, polled: new Map(tables.polled).set(id, { number, by }) } };
    }),
  ],
  [
    /^SELECT kind, url, record/,
    of(([since, node]: [number, string], { data, polled }) => {
      const all = [...data.sources.values()].map(({ source, record }) => {
        const { number = 0, by = '' } = polled.get(numberOf(sourceKey(source))) ?? {};
        return { ...source, record: JSON.stringify(record), number, by };
      });
      const later = all.filter(({ number, by }) => number > since && by !== node);
      return { rows: later.sort((one, other) => one.number - other.number) };
    }),
  ],
  // Leases.
  [
    /^INSERT INTO registry\.lease/,
    of(([key]: [string], tables, { now }) =>
      tables.leases.has(key) ? NONE : leased(tables, key, { node: '', until: now }),
    ),
  ],
  [
    /^SELECT key FROM registry\.lease/,
    of(([key]: [string], { leases }, { now }) => {
      const { until = Number.POSITIVE_INFINITY } = leases.get(key) ?? {};
      return { rows: until <= now ? [{ key }] : [] };
    }),
  ],
  [
    /^UPDATE registry\.lease SET node/,
    of(([key, node, token, seconds]: [string, string, string, number], tables, { now }) =>
      leased(tables, key, { node, token, until: now + seconds * 1000 }),
    ),
  ],
  [
    /^UPDATE registry\.lease SET token/,
    of(([key, token, next]: [string, string, string], tables) => {
      const lease = tables.leases.get(key);
      return lease?.token === token ? leased(tables, key, { ...lease, token: next }) : NONE;
    }),
  ],
  [
    /^UPDATE registry\.lease SET until/,
    of(([node, seconds, keys]: [string, number, readonly string[]], tables, { now }) => {
      const until = now + seconds * 1000;
      const renewed = [...tables.leases].map(
        ([key, one]) => [key, one.node === node && keys.includes(key) ? { ...one, until } : one] as const,
      );
      return { tables: { ...tables, leases: new Map(renewed) } };
    }),
  ],
  [
    /^DELETE FROM registry\.lease/,
    of(([key, node, token]: [string, string, string], tables) => {
      const lease = tables.leases.get(key);
      if (lease?.node !== node || lease.token !== token) return NONE;
      return {
        tables: { ...tables, leases: new Map([...tables.leases].filter(([other]) => other !== key)) },
      };
    }),
  ],
  // What has become of commits of which nobody has heard.
  [
    /^INSERT INTO registry\.commit_token/,
    of(([token]: [string], tables, { now }) => {
      if (tables.tokens.has(token)) return NONE;
      return { rows: [{ token }], tables: { ...tables, tokens: new Map(tables.tokens).set(token, now) } };
    }),
  ],
  [
    /^DELETE FROM registry\.commit_token/,
    (tables, _, { now }) => {
      const tokens = new Map([...tables.tokens].filter(([, made]) => made >= now - HOUR));
      return { tables: { ...tables, tokens } };
    },
  ],
];

/** Does a statement wait for those who change something? */
export function isWriting(text: string): boolean {
  return !/^\s*SELECT\b/.test(text) || /\bFOR UPDATE\b/.test(text);
}

/** What a statement does, or one after the other those that were joined to one (`PoolTransaction`), which counts their rows. */
export function run(text: string, values: readonly unknown[], tables: Tables, now: number): Done {
  const joined = /^WITH/.test(text) ? partsOf(text) : [];
  if (joined.length === 0) return runOne(text, values, tables, now);
  const counts: Record<string, number> = {};
  let after = tables;
  for (const [place, part] of joined.entries()) {
    const before = Math.min(...[...part.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n) - 1));
    const alone = part.replace(/\$(\d+)/g, (_, n: string) => `$${Number(n) - before}`);
    const { rows = [], tables: changed } = runOne(alone, values.slice(before), after, now);
    after = changed ?? after;
    counts[`c${place}`] = rows.length;
  }
  return { rows: [counts], tables: after };
}

/** The statements between the outer parentheses of a joined one. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (const { 0: found, index } of text.matchAll(/[()]/g)) {
    depth += found === '(' ? 1 : -1;
    if (found === '(' && depth === 1) from = index + 1;
    if (found === ')' && depth === 0) parts.push(text.slice(from, index));
  }
  // The last ones are the counts.
  return parts.filter((part) => !part.startsWith('SELECT count'));
}

/** @throws Error for a statement that the model does not know: whoever writes one there says here what it does */
function runOne(text: string, values: readonly unknown[], tables: Tables, now: number): Done {
  const [, found] = STATEMENTS.find(([pattern]) => pattern.test(text.trimStart())) ?? [];
  if (!found) throw new Error(`scripts/simulate/database/statements.ts does not know: ${text}`);
  return found(tables, values, { text, now });
}

/** The values of a statement have types where it is written. */
function of<V extends readonly unknown[]>(work: (values: V, tables: Tables, asked: Asked) => Done): Run {
  return (tables, values, asked) => work(values as V, tables, asked);
}

function withData(
  tables: Tables,
  { sources, statements, pins, servedAs, namespace }: MemoryData,
  read = tables.read,
): Tables {
  return { ...tables, read, data: { ...tables.data, sources, statements, pins, servedAs, namespace } };
}

function withFirst(tables: Tables, epoch: string, now: number): Done {
  if (tables.head) return NONE;
  const revisions = { revision: 1, since: now, network_revision: 0, network_since: now };
  const none = { oldest_at: null };
  const counts = { ...none, components: 0, position: 0, changed_at: 0, floor: 0, states: 0, tombstones: 0 };
  const texts = {
    mark: '',
    network: '{"peers":[],"storage":[]}',
    digest: '',
    base_url: '',
    namespace: '',
    served_as: '',
  };
  return { tables: withHead(tables, { version: 0, epoch, ...revisions, ...counts, ...texts }) };
}

/** Columns get the values that the text names them with. */
function moved(tables: Tables, values: readonly unknown[], text: string): Done {
  if (!tables.head) return NONE;
  const assigned = [...text.matchAll(/(\w+) = \$(\d+)/g)].map(([, name = '', place]) => [
    name,
    values[Number(place) - 1],
  ]);
  const head = { ...tables.head, ...Object.fromEntries(assigned) } as Head;
  return { rows: [], tables: withHead(tables, head) };
}

function leased(tables: Tables, key: string, row: LeaseRow): Done {
  return { rows: [{ key }], tables: { ...tables, leases: new Map(tables.leases).set(key, row) } };
}
