import { DataFactory } from 'n3';
import { expect } from 'vitest';
import type { Metadata } from '../../src/component/metadata.js';
import { type Source, sourceKey } from '../../src/component/source.js';
import { storedQuads } from '../../src/component/writing/metadata-quads.js';
import { feedDigest } from '../../src/core/source-digests.js';
import type { Keep } from '../../src/keep/keep.js';
import { graphName } from '../../src/registry/row-keys.js';
import { quadsOf, texts } from '../keep/contract.js';
import type { TestRegistry } from '../support/registry.js';
import { digestsOf } from './model.js';

/** What a registry tells its readers, and what its keep has in quads. */

/** Everything that readers are told. */
export async function told(node: TestRegistry) {
  const { feed, ...state } = await node.state();
  const { changes } = await node.changes({ removals: true });
  // In which order sources are held is nobody's business.
  const sources = new Map(feed.sources.map((one) => [sourceKey(one.source), one]));
  const { json } = await node.catalog.page({});
  return { ...state, feed: { ...feed, sources }, changes, bytes: String(json?.whole()) };
}

/** Do the digests that readers are told fit what they are told? @returns those of sources, by their keys */
export async function expectDigests(node: TestRegistry): Promise<Map<string, string>> {
  const { feed, networkRevision } = await node.state();
  expect(feed.digest).toBe(feedDigest(feed.sources, networkRevision.number));
  const digests = new Map(feed.sources.map(({ source, digest }) => [sourceKey(source), digest]));
  expect(digests).toEqual(digestsOf((await node.changes()).changes));
  return digests;
}

/** Waits until a node tells what others have written, too. */
export async function caughtUp(node: TestRegistry): Promise<void> {
  const { revision, feed } = await node.state();
  await node.catalog.state({ epoch: revision.epoch, position: feed.position + 1 });
}

const graphOf = (source: Source, document: string) => DataFactory.namedNode(graphName(source, document));

/** The quads of a document that are stored, as texts. */
export async function storedOf(keep: Keep, source: Source, document: string): Promise<string[]> {
  return (await quadsOf(keep, graphOf(source, document))).sort();
}

/** Those of what it says. */
export function writtenOf(said: readonly Metadata[], source: Source, document: string): string[] {
  const quads = said.flatMap((one) => storedQuads(one, graphOf(source, document)));
  return [...new Set(texts(quads))].sort();
}
