import { LOCAL, type Source, sourceKey } from '../component/source.js';

const PREFIX = 'urn:registry:document:';

/**
 * The name of the graph that holds what one source's document says. The document's own URL would not do: two pods may overlap, and
 * two peers may relay the same document.
 */
export function graphName(source: Source, document: string): string {
  if (source.kind === 'local') return LOCAL.url;
  return `${PREFIX}${encodeURIComponent(sourceKey(source))}:${encodeURIComponent(document)}`;
}
