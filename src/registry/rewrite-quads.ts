import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { Origin } from '../catalog/entry.js';
import { placeBehind } from '../catalog/selection.js';
import { storedQuads } from '../component/writing/metadata-quads.js';
import type { Clock } from '../lib/clock.js';
import { explain } from '../lib/faults.js';
import type { LogTo } from '../lib/log.js';
import type { Pace } from '../lib/pace.js';
import { NO_CONTENTS } from './commit-contents.js';
import { graphName } from './graph-name.js';
import type { Draft, QuadWriting } from './numbering.js';
import type { RegistryData } from './registry-data.js';
import { documentRowKey } from './row-keys.js';
import type { Writer } from './writer.js';

export interface RewriteParts {
  readonly data: RegistryData;
  readonly writer: Writer;
  readonly quads: () => QuadWriting | undefined;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly log: LogTo<'warn'>;
}

/** Statements whose quads one commit rewrites. */
const AT_ONCE = 500;

/**
 * Writes quads of former vocabularies in the present one, in portions, while the node answers; broken off, it begins again at the
 * next start. Until it is done, every document counts as not read yet after a start.
 */
export async function rewriteQuads(parts: RewriteParts, signal: AbortSignal): Promise<void> {
  const { data, writer, log } = parts;
  if (data.serving.former.length === 0) return;
  try {
    for (const { documents } of [...data.held.all()])
      for (const { origin } of [...documents.values()]) await rewriteDocument(origin, parts, signal);
    await writer.write(async () => {
      const { serving } = data;
      return { effects: { ...NO_CONTENTS, serving: { ...serving, former: [] } }, rows: [] };
    });
  } catch (error) {
    if (signal.aborted) return;
    log.warn(
      { error: explain(error) },
      'quads could not be written in the new vocabulary; the next start goes on',
    );
  }
}

async function rewriteDocument(
  { key, source, document }: Origin,
  { data, writer, quads, pace }: RewriteParts,
  signal: AbortSignal,
): Promise<void> {
  const graph = DataFactory.namedNode(graphName(source, document));
  let after: string | undefined = '';
  while (after !== undefined) {
    signal.throwIfAborted();
    const from: string = after;
    await writer.write(async (): Promise<Draft | undefined> => {
      const { said } = data.catalog.document(key);
      const at = placeBehind(said, from);
      const some = said.slice(at, at + AT_ONCE);
      after = at + some.length < said.length ? some.at(-1)?.uri : undefined;
      const record = data.held.source(source)?.documents.get(document)?.record;
      if (!record) return undefined;
      const documents = new Map([[documentRowKey(key), { source, document, record }]]);
      const effects = after === undefined ? { ...NO_CONTENTS, documents } : NO_CONTENTS;
      const writing = quads();
      if (!writing) return { effects, rows: [] };
      const breathe = pace();
      const written = { remove: [] as Quad[], put: [] as Quad[] };
      for (const { metadata } of some) {
        for (const former of writing.former) written.remove.push(...storedQuads(metadata, former, graph));
        written.put.push(...storedQuads(metadata, writing.vocabulary, graph));
        await breathe();
      }
      return { effects, rows: [], quads: written };
    });
  }
}
