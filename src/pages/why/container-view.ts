import { html } from 'hono/html';
import { graphTaken } from '../../component/provenance.js';
import type { StoredSource } from '../../core/source-record.js';
import { documentPath } from '../../http/paths.js';
import { counted } from '../../lib/counted.js';
import { hostOf, type Markup, renderPage } from '../shell/page.js';
import { icon, type Look } from '../shell/source-look.js';
import type { NodeView } from '../shell/view.js';
import { again, polledWords } from './document-view.js';
import { pageLinks } from './page-links.js';

/** How many documents one page lists. */
const PAGE = 200;

interface Container extends Pick<StoredSource, 'source' | 'documents' | 'record'> {
  /** Of all its documents, in the order in which they are listed. */
  readonly names: readonly string[];
  /** Has the visitor just had it read again? */
  readonly isAsked: boolean;
}

/** The documents of a source, each with the way to its receipt. */
export function containerPage(node: NodeView, container: Container, page: number): string {
  const { source, documents, names, record, isAsked } = container;
  const shown = names.slice((page - 1) * PAGE, page * PAGE);
  const link = (number: number) => `${documentPath(node.baseUrl, source.url)}&page=${number}`;
  const main = html`<h1>${counted(names.length, 'document')}</h1>
<p class="lead">As this node has read them from <code>${source.url}</code></p>
${again(source.url, node, isAsked)}
<div id="read" data-live><p class="by">${polledWords(record)}</p>
${[...documents.values()].some(({ components }) => components > 0) ? '' : html`<p>None of them describes a component.</p>`}
<ul class="rows marked">${shown.map((name) => row(name, documents.get(name), source.url, node))}</ul></div>
${names.length > PAGE ? pageLinks({ page, size: PAGE, of: names.length, link }) : ''}`;
  return renderPage({
    node,
    part: 'components',
    title: `Documents of ${hostOf(source.url)}`,
    main,
  });
}

type DocumentState = StoredSource['documents'] extends ReadonlyMap<string, infer D> ? D : never;

function row(
  name: string,
  state: DocumentState | undefined,
  container: string,
  { baseUrl }: NodeView,
): Markup {
  const { components = 0, invalid = [], error } = state ?? {};
  const look: Look = error !== undefined ? 'failing' : invalid.length > 0 ? 'attention' : 'ok';
  const words = [
    counted(components, 'component'),
    ...(invalid.length > 0 ? [`${invalid.length} invalid`] : []),
  ].join(', ');
  const url = graphTaken(name) ?? name;
  // What all of them begin with stands above them.
  const short = url.startsWith(container) && url !== container ? url.slice(container.length) : url;
  return html`<li><span class="${look}">${icon(look)}</span> <a href="${documentPath(baseUrl, url)}">${short}</a><small>${error === undefined ? words : `${words}: ${error}`}</small></li>`;
}
