import type { Metadata } from '../component/metadata.js';
import type { Pace } from '../lib/pace.js';
import { type ChangeCount, sumOfCounts } from '../registry/change.js';
import type { Registry } from '../registry/registry.js';
import type { DocumentChange, SourceChange } from '../registry/source-change.js';

/** Descriptions that are stored at a time: it takes a ms or two to hash them. */
const PORTION = 100;

/**
 * A registry whose large changes are made in portions, between which other work goes on: for one that holds nothing yet,
 * that nobody reads meanwhile, and whose engine makes a change in one go. A change whose digests are not met leaves
 * nothing of the source.
 */
export function portioned(
  registry: Pick<Registry, 'commit' | 'forget' | 'source'>,
  pace: Pace,
): Pick<Registry, 'commit' | 'source'> {
  return {
    source: (source) => registry.source(source),
    async commit({ source, documents, ...end }: SourceChange): Promise<ChangeCount> {
      const breathe = pace();
      const counts: ChangeCount[] = [];
      for (const portion of portionsOf(documents)) {
        counts.push(await registry.commit({ source, documents: portion, record: (record) => record }));
        await breathe();
      }
      try {
        return sumOfCounts([...counts, await registry.commit({ source, documents: [], ...end })]);
      } catch (error) {
        await registry.forget(source);
        throw error;
      }
    },
  };
}

function* portionsOf(documents: readonly DocumentChange[]): Generator<DocumentChange[]> {
  let portion: DocumentChange[] = [];
  let size = 0;
  for (const part of documents.flatMap(partsOf)) {
    portion.push(part);
    size += part.components?.length ?? part.amend?.put?.length ?? 0;
    if (size < PORTION) continue;
    yield portion;
    [portion, size] = [[], 0];
  }
  if (portion.length > 0) yield portion;
}

/** A large document as a small one to which more is added. */
function partsOf(change: DocumentChange): DocumentChange[] {
  const { url, record } = change;
  if (!record) return [change];
  const amended = (put: readonly Metadata[]): DocumentChange => ({ url, amend: { put }, record });
  if (change.components) {
    const [first = [], ...more] = slices(change.components);
    return [{ url, components: first, record }, ...more.map(amended)];
  }
  if (!change.amend) return [change];
  const [first = [], ...more] = slices(change.amend.put ?? []);
  return [{ url, amend: { ...change.amend, put: first }, record }, ...more.map(amended)];
}

function slices(components: readonly Metadata[]): (readonly Metadata[])[] {
  const starts = Array.from({ length: Math.ceil(components.length / PORTION) }, (_, i) => i * PORTION);
  return starts.map((start) => components.slice(start, start + PORTION));
}
