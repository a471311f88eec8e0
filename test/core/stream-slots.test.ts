import { expect, it } from 'vitest';
import type { Source } from '../../src/component/source.js';
import type { StoredDocument } from '../../src/core/document-record.js';
import { chosenStreams, streamsOf } from '../../src/core/stream-slots.js';

const POD: Source = { kind: 'pod', url: 'https://pod.example/' };
const PEER: Source = { kind: 'peer', url: 'https://peer.example' };
const stored = (source: Source, documents: Record<string, StoredDocument> = {}) => ({
  ...{ source, record: { failures: 0 } },
  documents: new Map(Object.entries(documents).map(([name, one]) => [source.url + name, one])),
});
const DOCUMENTS = {
  '': { components: 1, modified: '2026' },
  empty: { components: 0, modified: '2027' },
  b: { components: 1, modified: '2020' },
  a: { components: 1, modified: '2020' },
  late: { components: 2, modified: '2026' },
  undated: { components: 1 },
};

it('the streams of a pod are its own, and those of its documents, what describes something first', () => {
  const streams = streamsOf('pod', stored(POD, DOCUMENTS), 'configured');
  const names = ['late', 'a', 'b', 'undated', 'empty'].map((name) => POD.url + name);
  expect(streams.map(({ key }) => key)).toEqual(['pod', ...names.map((url) => `pod ${url}`)]);
  expect(streams.map(({ document }) => document)).toEqual([
    undefined,
    ...names.map((url) => ({ url, below: 'pod' })),
  ]);
});

it('of a pod with many documents fifty are listened to, and of a peer itself alone', () => {
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`${i}`, { components: 1 }]));
  expect(streamsOf('pod', stored(POD, many), 'learned')).toHaveLength(51);
  expect(streamsOf('peer', stored(PEER, many), 'learned').map(({ key }) => key)).toEqual(['peer']);
});

const wanted = [
  ...streamsOf('learned pod', stored(POD, { x: { components: 1 }, empty: { components: 0 } }), 'learned'),
  ...streamsOf('pod', stored(POD, { x: { components: 1 }, empty: { components: 0 } }), 'configured'),
  ...streamsOf('learned peer', stored(PEER), 'learned'),
  ...streamsOf('peer', stored(PEER), 'configured'),
];
const ORDER = [
  ...['peer', 'pod', 'learned peer', `pod ${POD.url}x`, 'learned pod', `learned pod ${POD.url}x`],
  ...[`learned pod ${POD.url}empty`, `pod ${POD.url}empty`],
];
const chosen = (most: number, ...refused: string[]) =>
  chosenStreams(wanted, most, (key) => refused.includes(key)).map(({ key }) => key);

it.each<[what: string, most: number, refused: string[], expected: string[]]>([
  ['all, in their order, where there is room', 9, [], ORDER],
  ['the first ones, where there is not', 4, [], ORDER.slice(0, 4)],
  ['none, where none are wanted', 0, ['peer'], []],
  ['those that refuse, too: they take no slot', 3, ['peer', 'learned peer'], ORDER.slice(0, 5)],
  ['no document of a pod that refuses', 9, ['pod'], ORDER.filter((key) => !key.startsWith('pod h'))],
])('%s', (_, most, refused, expected) => {
  expect(chosen(most, ...refused)).toEqual(expected);
});
