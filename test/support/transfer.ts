import { DataFactory } from 'n3';
import type { Metadata } from '../../src/component/metadata.js';
import { LOCAL, type Source } from '../../src/component/source.js';
import { graphOf } from '../../src/connection/records/cached-resource.js';
import { RECORD_LAYOUT } from '../../src/connection/records/records.js';
import { systemClock } from '../../src/lib/clock.js';
import { withoutPause } from '../../src/lib/pace.js';
import type { OpenRecords, RecordStore } from '../../src/store/record-store.js';
import type { LoadOptions } from '../../src/store/registry-store.js';
import { type Content, contentOf, currentCursor } from '../../src/transfer/content.js';
import { checkExport } from '../../src/transfer/export-file.js';
import {
  EXPORT_FORMAT,
  EXPORT_VERSION,
  type ExportHeader,
  type ExportRecord,
} from '../../src/transfer/export-record.js';
import { ImportClock } from '../../src/transfer/import-clock.js';
import { type ImportOptions, type ImportTarget, importExport } from '../../src/transfer/import-export.js';
import { writeExport } from '../../src/transfer/write-export.js';
import { authority, OK, PEER, POD_A, POD_B, precedence } from '../registry/sources.js';
import type { Engine } from './engines.js';
import { component, type TestRegistry } from './registry.js';

const { blankNode, literal, namedNode, quad } = DataFactory;

/** Where everything that a node holds can be kept: its registry, and the records of its connection service. */
export interface TransferEngine {
  readonly registry: Engine;
  readonly records: OpenRecords;
}

/** An engine that is open, and what closes it. */
export type OpenTransfer = ImportTarget & { readonly test: TestRegistry; close(): Promise<void> };

/** Opens both, as the commands do. */
export async function openTransfer(
  engine: TransferEngine,
  more: Partial<LoadOptions> = {},
): Promise<OpenTransfer> {
  const clock = new ImportClock(systemClock);
  const test = await engine.registry.open({ precedence, clock, servedAs: 'import', ...more });
  const options = { layout: RECORD_LAYOUT, clock: systemClock, pace: withoutPause, log: QUIET };
  const records: RecordStore = await engine.records('data', options);
  const close = async () => {
    await test.close();
    await records.close();
  };
  return { registry: test.registry, catalog: test.catalog, pins: test.pins, records, clock, test, close };
}

const QUIET = { warn: () => undefined, info: () => undefined };

export async function exportTo(path: string, held: Content, more: Partial<ExportHeader> = {}) {
  const header: ExportHeader = {
    ...{ type: 'header', format: EXPORT_FORMAT, version: EXPORT_VERSION, software: '0.0.0', exportedAt: 0 },
    ...{ baseUrl: 'http://node.example', vocabulary: 'http://semcom.digita.ai/voc#' },
    ...{ cursor: await currentCursor(held), connections: held.records !== undefined, ...more },
  };
  return writeExport(path, header, contentOf(held));
}

export async function importFrom(path: string, target: ImportTarget, options: Partial<ImportOptions> = {}) {
  return importExport(path, await checkExport(path), target, { replace: false, ...options });
}

/** All that is held; quads sorted, because engines have them in orders of their own. */
export async function contents(held: Content): Promise<ExportRecord[]> {
  const entries: ExportRecord[] = [];
  for await (const entry of contentOf(held)) {
    if (entry.type === 'quads') entries.push({ ...entry, quads: [...entry.quads].sort() });
    else if ('component' in entry) entries.push({ ...entry, component: inOrder(entry.component) });
    else entries.push(entry);
  }
  return entries;
}

/** An engine that keeps quads gives several values in an order of its own, as RDF has none. */
function inOrder(component: Metadata): Metadata {
  const { author, tag, shapes } = component;
  return { ...component, author: [...author].sort(), tag: [...tag].sort(), shapes: [...shapes].sort() };
}

const AT = 1_700_000_000_000;
const OF = 'pod https://far.example/';

/**
 * A registry as it looks after a while: statements of every kind of source, some of them shadowed, changed and removed, at
 * times of their own; sources that fail, are held, and have nothing; decisions of the operator; connections.
 */
export async function fillTransfer({ test, clock, records }: OpenTransfer): Promise<void> {
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
  await test.removeLocal('https://c.example/nothing.js');
  const decisions = { 'https://no.example': 'reject' };
  await test.registry.commit({
    source: LOCAL,
    documents: [],
    record: () => ({ ...OK, memo: { decisions } }),
  });
  const failing = {
    failures: 3,
    failingSince: AT,
    error: 'refused',
    nextAttempt: AT + 1,
    memo: { b: [1], a: 2 },
  };
  await test.commit({ source: POD_B, documents: [{ url: `${POD_B.url}none`, record: {} }], record: failing });
  const shrink = { since: AT, polls: 2, from: 90, to: 3, digest: 'x' };
  await test.commit({ source: PEER, documents: [], record: { ...OK, shrink, lastSuccess: AT } });
  await test.setNetwork({
    peers: [{ url: PEER.url, hops: 0, via: [] }],
    storage: [{ url: POD_A.url, hops: 1, via: [PEER.url] }],
  });
  const pin = { first: 'sha384-a', last: 'sha384-a', since: AT, checked: AT };
  const posted = { source: LOCAL, document: LOCAL.url };
  const read = { source: POD_A, document: `${POD_A.url}1` };
  await test.setPins([
    { ...pin, ...posted, uri: 'https://c.example/own.js', version: '1.0.0', etag: '"1"' },
    { ...pin, ...read, uri: 'https://c.example/a.js', last: 'sha384-b', changedAt: AT + 1 },
    { ...pin, ...read, uri: 'https://c.example/gone.js', first: undefined, lastModified: 'yesterday' },
  ]);
  if (records) await fillRecords(records);
}

async function fillRecords(records: RecordStore): Promise<void> {
  const resource = {
    uri: 'https://pod.example/card',
    connection: 'urn:c:1',
    holder: 'urn:h',
    refreshed: AT,
    error: null,
  };
  const graph = graphOf(resource);
  const triples = [
    quad(blankNode('b0'), namedNode('urn:p'), literal('Wort', 'de'), graph),
    quad(blankNode('b0'), namedNode('urn:p'), literal('1', namedNode('urn:int')), graph),
    quad(namedNode('urn:s'), namedNode('urn:p'), blankNode('b0'), graph),
  ];
  const prepared = await records.prepare({ add: triples });
  const connection = {
    uri: 'urn:c:1',
    configuration: { accessToken: 'secret', b: 1, a: 2 },
    state: 'CONNECTED',
  };
  await prepared.write([
    { table: 'connection', key: 'urn:c:1', value: { seq: 1, record: connection } },
    { table: 'invite', key: 'urn:i:1 2', value: { seq: 2, record: { uri: 'urn:i:1' } } },
    { table: 'resource', key: 'urn:c:1 x', value: { seq: 3, record: resource } },
  ]);
}
