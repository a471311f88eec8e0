import { html } from 'hono/html';
import type { WhySource } from '../../explain/why.js';
import { documentPath, rootPath, whyPath } from '../../http/paths.js';
import { time } from '../shell/fragments.js';
import { hostOf, type Markup, renderPage } from '../shell/page.js';
import type { NodeView } from '../shell/view.js';
import { again, checkForm, polledWords } from './document-view.js';

interface SourceView {
  readonly node: NodeView;
  readonly source: WhySource;
  /** Has the visitor just had it read again? */
  readonly isAsked: boolean;
}

/** The page of a source that this node reads, or is about to read, and has no documents of. */
export function emptySourcePage({ node, source, isAsked }: SourceView): string {
  const { url, error, notice } = source;
  const main = html`<h1>${headingOf(source)}</h1>
<p class="lead"><code>${url}</code></p>
<div id="read" data-live><p>It is ${how(source)}, ${state(source)}.</p>
${error === undefined ? '' : html`<p class="alert" role="alert">${error}</p>`}${notice === undefined ? '' : html`<p>${notice}</p>`}
<p class="by">${polledWords({ nextAttempt: source.nextAttempt })}</p></div>
<p class="hint">A description is a document in Turtle or JSON-LD that everyone may read: <a href="${rootPath(node.baseUrl)}/docs/authors">for authors</a>.</p>
${again(url, node, isAsked)}`;
  return renderPage({ node, part: 'components', title: hostOf(url), main });
}

function headingOf({ kind, lastSuccess, error }: WhySource): string {
  if (kind === 'peer') return 'A node that this one reads';
  if (lastSuccess !== undefined) return 'No descriptions there';
  return error === undefined ? 'Not read yet' : 'It could not be read';
}

function how({ configured }: WhySource): string {
  return configured ? 'configured here' : 'known from other nodes';
}

function state({ kind, lastSuccess, error, components }: WhySource): Markup {
  if (lastSuccess === undefined)
    return html`${error === undefined ? 'and has not been read yet' : 'and could not be read so far'}`;
  const isEmpty = kind === 'pod' && components === 0;
  return html`was read ${time(lastSuccess)}${isEmpty ? ' and holds no descriptions' : ''}`;
}

/** The page for a document that no source has. `source`: that whose address is above it. */
export function noDocumentPage({
  node,
  url,
  source,
  isAsked,
}: Omit<SourceView, 'source'> & { readonly url: string; readonly source: WhySource | undefined }): string {
  const root = rootPath(node.baseUrl);
  const main = html`<h1>Not read here</h1>
<p class="lead">No source that this node reads has the document <code>${url}</code>.</p>
${
  source
    ? html`<div id="read" data-live><p>Above it is <a href="${documentPath(node.baseUrl, source.url)}">${source.url}</a>, which is ${how(source)}, ${state(source)}.
Its container does not list the document, or not as Turtle or JSON-LD.</p></div>
${again(url, node, isAsked)}`
    : html`<p>No pod above it is read here: the <a href="${root}/network">network page</a> names the pods that are.</p>`
}
<p><a href="${whyPath(node.baseUrl, url)}">Why is it not read?</a></p>
${checkForm(url, node)}`;
  return renderPage({ node, part: 'components', title: 'Not read here', main });
}
