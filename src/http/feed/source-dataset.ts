import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { Naming } from '../../component/naming.js';
import { createQuadWriter } from '../../component/rdf/rdf-write.js';
import type { Source } from '../../component/source.js';
import { metadataToQuads } from '../../component/writing/metadata-quads.js';
import type { SourceSummary } from '../../core/source-digests.js';
import { Problem } from '../../lib/http/problem.js';
import type { Answer, RouteContext } from '../../lib/http/resource.js';
import { inPieces } from '../../lib/http/response/paced-body.js';
import type { Description } from '../../registry/description.js';
import type { Page } from '../../registry/page.js';
import { summaryIn } from './feed-json.js';
import { codingFor, type FeedParts, type PageText, pageHeaders } from './feed-page.js';
import { summaryQuads } from './feed-quads.js';
import { gatherPage, type PageOrder, type RdfType } from './written-page.js';

interface DatasetOrder {
  readonly type: RdfType;
  /** Of the source on this node: what its summary is a statement about. */
  readonly address: string;
}

/** A page of a source: its summary, and what its documents say, each in a graph of its own. */
export async function sourceDatasetPage(
  parts: FeedParts,
  order: PageOrder,
  { type, address, summary }: DatasetOrder & { readonly summary: SourceSummary },
): Promise<PageText> {
  const { naming } = parts;
  const writer = createQuadWriter(type, naming.vocabulary);
  let text = '';
  const { state, next } = await gatherPage(parts, order, ({ document, metadata }) => {
    const written = metadata ? writer.write(quadsOf({ document, metadata }, naming)) : '';
    text += written;
    return Buffer.byteLength(written);
  });
  text +=
    writer.write(summaryQuads(naming, address, summaryIn(state, summary.source) ?? summary)) + writer.end();
  return { type, state, next, text };
}

/** A source in one state, whole and of any size: it is written while it is sent. */
export async function wholeSource(
  parts: FeedParts,
  c: RouteContext,
  { type, address, source }: DatasetOrder & { readonly source: Source },
): Promise<Answer> {
  const page = await parts.catalog.page({}, { shadowed: true });
  const summary = summaryIn(page.state, source);
  if (!summary) throw new Problem(404, 'This node has nothing of the source any more');
  const answer = { status: 200, headers: pageHeaders({ type, state: page.state }, codingFor(c)) };
  return c.req.method === 'HEAD'
    ? answer
    : { ...answer, body: pieces(parts, page, { type, address, summary }) };
}

function pieces(
  { naming, pace }: FeedParts,
  page: Page,
  { type, address, summary }: DatasetOrder & { readonly summary: SourceSummary },
): AsyncGenerator<string> {
  const writer = createQuadWriter(type, naming.vocabulary);
  const { kind, url } = summary.source;
  const written = function* (slice: readonly Description[]) {
    for (const description of slice) {
      const { source } = description;
      yield source.kind === kind && source.url === url ? writer.write(quadsOf(description, naming)) : '';
    }
  };
  const slices = async function* () {
    yield [writer.write(summaryQuads(naming, address, summary))];
    for await (const slice of page.descriptions()) yield written(slice);
    yield [writer.end()];
  };
  return inPieces(slices(), pace());
}

/** What a document says of a component, in the graph of the document's name. */
function quadsOf(
  { document, metadata }: Pick<Description, 'document' | 'metadata'>,
  { vocabulary }: Naming,
): Quad[] {
  return metadataToQuads(metadata, vocabulary, metadata.uri, DataFactory.namedNode(document));
}
