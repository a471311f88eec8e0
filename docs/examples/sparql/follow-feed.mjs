#!/usr/bin/env node
/**
 * Keeps a SPARQL store in step with a registry node, by its change feed (docs/feed.md). It needs Node.js 20.18 and
 * nothing else, and any store with SPARQL 1.1 Update over HTTP; README.md says how to use it.
 *
 * What a commit has changed is one update, or a few of bounded size, and each of them also stores how far the store has
 * come. So the script keeps nothing itself, may be killed at any instant, and goes on where the store is: to apply a
 * change again changes nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createSparqlClient } from './sparql-client.mjs';
import { beginningUpdate, countQuery, namesOf, pageUpdates, STATE_QUERY } from './updates.mjs';

const { values: flags } = parseArgs({
  options: { once: { type: 'boolean', default: false }, check: { type: 'boolean', default: false } },
});
const {
  NODE_URL = 'http://localhost:3000',
  SPARQL_UPDATE_URL = 'http://localhost:8890/sparql-auth',
  SPARQL_QUERY_URL = SPARQL_UPDATE_URL,
  SPARQL_USER,
  SPARQL_PASSWORD = '',
  VOCABULARY = 'http://semcom.digita.ai/voc#',
  POLL_SECONDS = '10',
  TRIPLES_PER_UPDATE = '200',
  SPARQL_PROLOGUE = '',
} = process.env;

/** Changes that are asked for at a time; a node gives 1,000 unless it is asked for another number. */
const PAGE_SIZE = 1000;
/** A request that takes longer has failed, in ms; a store may need long to remove what is not there any more. */
const TIMEOUT_MS = 300_000;
/** The longest pause after failures, in ms. */
const LONGEST_PAUSE_MS = 60_000;

const node = NODE_URL.replace(/\/+$/, '');
const names = namesOf(node, VOCABULARY);
const store = createSparqlClient({
  ...{
    updateUrl: SPARQL_UPDATE_URL,
    prologue: SPARQL_PROLOGUE,
    queryUrl: SPARQL_QUERY_URL,
    timeoutMs: TIMEOUT_MS,
  },
  ...(SPARQL_USER === undefined ? {} : { user: SPARQL_USER, password: SPARQL_PASSWORD }),
});
const log = (text) => process.stdout.write(`${text}\n`);

process.exitCode = flags.once ? await once() : await forever();

async function once() {
  try {
    await followToEnd();
    await check();
    return 0;
  } catch (error) {
    log(`failed: ${explained(error)}`);
    return 1;
  }
}

/** Whatever fails is tried again, after pauses that grow. */
async function forever() {
  let [failures, isChecked] = [0, false];
  for (;;) {
    try {
      await followToEnd();
      if (!isChecked) await check();
      isChecked = true;
      failures = 0;
    } catch (error) {
      failures += 1;
      log(`failed (${failures} in a row): ${explained(error)}`);
    }
    const pause = Number(POLL_SECONDS) * 1000 * 2 ** Math.min(failures, 10);
    await sleep(failures === 0 ? pause : Math.min(pause, LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2));
  }
}

/** Applies all that the feed has, from where the store is. Resolves when the node says that there is nothing more. */
async function followToEnd() {
  for (let state = await stateOfStore(); ; ) {
    const answer = await pageAfter(state);
    if (answer.status === 304) return;
    if (answer.status === 410) {
      const { reason } = await answer.json();
      log(`the node does not know the state of the store any more (${reason}): everything is read anew`);
      await store.update(beginningUpdate(names, state));
      state = await stateOfStore();
      continue;
    }
    if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}`);
    const page = await answer.json();
    for (const update of pageUpdates(names, state, page, Number(TRIPLES_PER_UPDATE))) {
      await store.update(update.text);
      state = update.state;
    }
    if (page.changes.length > 0) log(`${page.changes.length} changes; ${described(state)}`);
  }
}

/** The next page for a store in this state; 304 when it is where the node is. */
function pageAfter({ cursor, loading, since, after }) {
  const from = loading === undefined ? cursor : since;
  const query = new URLSearchParams({ limit: PAGE_SIZE });
  if (from !== undefined) query.set('since', from);
  if (after !== undefined) query.set('after', after);
  const isAtCursor = loading === undefined && after === undefined;
  const headers = { accept: 'application/json', ...(isAtCursor ? { 'if-none-match': `"${cursor}"` } : {}) };
  return fetch(`${node}/feed?${query}`, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
}

/** Where the store stands: what the latest update has noted. A new store begins. */
async function stateOfStore() {
  for (;;) {
    const rows = await store.query(STATE_QUERY(names));
    const noted = Object.fromEntries(rows.map(({ p, o }) => [p.slice(names.state.length), o]));
    if (noted.index !== undefined || noted.loading !== undefined) return noted;
    log(`the store knows nothing of ${node}: everything is read`);
    await store.update(beginningUpdate(names, noted));
  }
}

/** Has the store as many statements of each source as the node? If not, somebody has changed it: everything is read anew. */
async function check() {
  const state = await stateOfStore();
  const answer = await fetch(`${node}/feed/sources`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const { cursor, sources } = await answer.json();
  // The node has moved on: there is nothing to compare with.
  if (state.cursor !== cursor) return;
  const found = new Map((await store.query(countQuery(names, state))).map(({ s, n }) => [s, Number(n)]));
  const wanted = new Map(sources.map(({ kind, url, count }) => [names.source({ kind, url }), count]));
  const differing = [...new Set([...found.keys(), ...wanted.keys()])].filter(
    (source) => (found.get(source) ?? 0) !== (wanted.get(source) ?? 0),
  );
  if (differing.length === 0) return log(`checked: the store has all that the node has; ${described(state)}`);
  if (flags.check) throw new Error(`the store differs from the node: ${differing.join(', ')}`);
  log(`the store differs from the node: everything is read anew (${differing.join(', ')})`);
  await store.update(beginningUpdate(names, state));
  await followToEnd();
}

function described({ cursor, loading, after }) {
  if (loading !== undefined) return 'reading everything';
  return after === undefined ? `at ${cursor}` : `on the way from ${cursor}`;
}

function explained(error) {
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
