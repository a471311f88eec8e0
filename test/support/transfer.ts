import { join } from 'node:path';
import { DataFactory } from 'n3';
import { LOCAL, type Source } from '../../src/component/source.js';
import { newInvite } from '../../src/connection/invites/invite-state.js';
import { graphOf } from '../../src/connection/records/cached-resource.js';
import type { Connection } from '../../src/connection/records/connection.js';
import { changesIn } from '../../src/connection/records/records.js';
import type { Keep } from '../../src/keep/keep.js';
import { openMemory } from '../../src/keep/memory/memory-keep.js';
import { systemClock } from '../../src/lib/clock.js';
import { checkExport, writeExport } from '../../src/transfer/export-file.js';
import {
  EXPORT_FORMAT,
  EXPORT_VERSION,
  type ExportHeader,
  type ExportRecord,
} from '../../src/transfer/export-record.js';
import { type ImportParts, importExport } from '../../src/transfer/import-export.js';
import { connectionRecords, readRegistry } from '../../src/transfer/stored-records.js';
import { openedIn } from '../keep/level-engine.js';
import { emptyDatabase, openedAt } from '../keep/postgres/postgres-engine.js';
import { authority, OK, ORDER, PEER, POD_A, POD_B } from '../registry/sources.js';
import { hasPostgres } from './postgres-programs.js';
import { BASE_URL, component, memoryData, openRegistry } from './registry.js';
import { tempDir } from './temp-dir.js';

const { blankNode, literal, namedNode, quad } = DataFactory;
const STORE = 'store';

/** Where everything that a node holds can be kept. */
export type TransferEngine = Pick<ImportParts, 'openPlace'> & { readonly dataDir: string };

/** The engines between which data is moved: each from and to each. */
export const TRANSFER_ENGINES = ['disk', ...(hasPostgres() ? ['postgres'] : [])];

/** An engine that holds nothing. */
export async function engineOf(name: string): Promise<TransferEngine> {
  const dataDir = await tempDir();
  if (name === 'disk') return { dataDir, openPlace: (folder) => openedIn(join(folder, STORE)) };
  const url = await emptyDatabase();
  return { dataDir, openPlace: () => openedAt(url) };
}

/** What a node holds, open. `test.close` closes all of it. */
export type OpenTransfer = Awaited<ReturnType<typeof openTransfer>>;

/** Opens what an engine holds, or a node in memory that holds nothing. */
export async function openTransfer(engine?: TransferEngine) {
  // It shows `at` until that is changed.
  const clock = { ...systemClock, at: 0, now: () => clock.at };
  const place = engine
    ? await engine.openPlace(engine.dataDir)
    : openMemory(memoryData(), { clock: systemClock });
  const test = await openRegistry(place, { order: ORDER, clock, servedAs: 'test' });
  return { clock, test, connections: await place.keep('connection') };
}

/** Opens what an engine holds for a task. */
export async function withTransfer<T>(
  engine: TransferEngine,
  task: (held: OpenTransfer) => Promise<T>,
): Promise<T> {
  const held = await openTransfer(engine);
  const result = await task(held);
  await held.test.close();
  return result;
}

/** @param key the secret of the connection service */
export async function exportTo(path: string, held: OpenTransfer, key?: string) {
  const header: ExportHeader = {
    ...{ type: 'header', format: EXPORT_FORMAT, version: EXPORT_VERSION, software: '0.0.0', exportedAt: 0 },
    ...{ baseUrl: BASE_URL, vocabulary: 'http://semcom.digita.ai/voc#' },
    connections: true,
  };
  return writeExport(path, header, recordsOf(held, key));
}

async function* recordsOf(held: OpenTransfer, key?: string): AsyncGenerator<ExportRecord> {
  const stored = await readRegistry(held.test.keep, 'here');
  yield* stored?.records() ?? [];
  yield* await connectionRecords(held.connections);
  if (key) yield { type: 'key', secret: key };
}

export async function importFrom(
  path: string,
  { dataDir, openPlace }: TransferEngine,
  more: Partial<ImportParts> = {},
) {
  const urls = (list: readonly string[]) => list.map((url) => ({ url }));
  return importExport(path, await checkExport(path), {
    config: { baseUrl: BASE_URL, dataDir, pods: urls(ORDER.pods), peers: urls(ORDER.peers) },
    openDraft: (folder) => openedIn(join(folder, STORE)),
    ...{ openPlace, storeFolder: STORE, draftFolder: 'importing', connections: true },
    installKey: async () => undefined,
    ...more,
  });
}

/** All that is held; quads sorted, because engines have them in orders of their own. */
export async function contents(held: OpenTransfer): Promise<ExportRecord[]> {
  const entries: ExportRecord[] = [];
  for await (const entry of recordsOf(held))
    entries.push(entry.type === 'quads' ? { ...entry, quads: [...entry.quads].sort() } : entry);
  return entries;
}

const AT = 1_700_000_000_000;
const OF = 'pod https://far.example/';

/**
 * A registry as it looks after a while: statements of every kind of source, some of them shadowed, changed and removed, at
 * times of their own; sources that fail, are held, and have nothing; decisions of the operator; connections.
 */
export async function fillTransfer({ test, clock, connections }: OpenTransfer): Promise<void> {
  const say = async (source: Source, url: string, names: string[], record: object = {}, label = 'one') => {
    clock.at += 1234;
    const components = names.map((name) => component(name, { label: `${label} ${name}`, tag: ['b', 'a'] }));
    await test.commit({ source, documents: [{ url, components, record }], record: OK });
  };
  clock.at = AT;
  await test.upsertLocal([component('own'), component('shared', { description: 'of the node\n"itself"' })]);
  await say(POD_A, `${POD_A.url}1`, ['a', 'b', 'shared'], { etag: '"1"', readAt: AT });
  await say(PEER, 'https://far.example/doc', ['far', 'b'], { of: OF, authority: authority(3), etag: '"f"' });
  await say(POD_A, `${POD_A.url}2`, ['a', 'c', 'gone'], { invalid: [{ subject: 'x', reasons: ['is bad'] }] });
  await say(POD_A, `${POD_A.url}2`, ['a', 'c'], {}, 'another');
  clock.at += 60_000;
  await test.upsertLocal([component('own', { label: 'Own 🦄', latest: true, version: '1.0.0' })]);
  const memo = { decisions: { 'https://no.example': 'reject' } };
  await test.commit({ source: LOCAL, documents: [], record: { ...OK, memo } });
  const failing = { failures: 3, failingSince: AT, error: 'refused', memo: { b: [1], a: 2 } };
  await test.commit({ source: POD_B, documents: [{ url: `${POD_B.url}none`, record: {} }], record: failing });
  await test.setNetwork({
    peers: [{ url: PEER.url, hops: 0, via: [] }],
    storage: [{ url: POD_A.url, hops: 1, via: [PEER.url] }],
  });
  const pin = { source: POD_A, first: 'sha384-a', last: 'sha384-a', since: AT, checked: AT };
  await test.setPins([
    { ...pin, uri: 'https://c.example/own.js', version: '1.0.0' },
    { ...pin, uri: 'https://c.example/a.js', last: 'sha384-b', changedAt: AT + 1 },
  ]);
  await fillConnections(connections);
}

async function fillConnections(keep: Keep): Promise<void> {
  const [holder, document] = ['urn:h', 'https://pod.example/card'];
  const connection: Connection = {
    ...{ uri: 'urn:c:1', source: document, holder, state: 'CONNECTED' },
    configuration: { accessToken: 'secret', b: 1, a: 2 },
  };
  const invite = newInvite({ purpose: 'urn:purpose', holder }, { uri: 'urn:i:1', now: AT });
  const resource = { uri: document, connection: connection.uri, holder, refreshed: AT, error: null };
  const [graph, blank, predicate] = [graphOf(resource), blankNode('b0'), namedNode('urn:p')];
  const triples = [
    quad(blank, predicate, literal('Wort', 'de'), graph),
    quad(blank, predicate, literal('1', namedNode('urn:int')), graph),
    quad(namedNode('urn:s'), predicate, blank, graph),
  ];
  await changesIn(keep)(async (now) => {
    await now.put('connection', connection);
    await now.put('invite', invite);
    await now.put('resource', resource, triples);
  });
}
