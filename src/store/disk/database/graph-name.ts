import { LOCAL, type Source, sourceKey, sourceOfKey } from '../../../component/source.js';

const PREFIX = 'urn:registry:document:';

/**
 * The name of the graph on disk that holds what one source's document says. The document's own URL would not
 * do: two pods may overlap, and two peers may relay the same document.
 */
export function graphName(source: Source, document: string): string {
  if (source.kind === 'local') return LOCAL.url;
  return `${PREFIX}${encodeURIComponent(sourceKey(source))}:${encodeURIComponent(document)}`;
}

/** Reads back what `graphName` wrote; undefined for graphs of other software. */
export function readGraphName(name: string): { source: Source; document: string } | undefined {
  if (name === LOCAL.url) return { source: LOCAL, document: LOCAL.url };
  if (!name.startsWith(PREFIX)) return undefined;
  const [key = '', document = ''] = name.slice(PREFIX.length).split(':').map(decodeURIComponent);
  return { source: sourceOfKey(key), document };
}
