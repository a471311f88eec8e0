import { raw } from 'hono/html';
import { link, type Markup } from '../shell/fragments.js';
import { type NodeView, renderPage } from '../shell/page.js';
import type { DocumentPage } from './documentation.js';

/** A document beside the menu of all; without one, the page for an address below /docs that is none. */
export function documentPage(
  node: NodeView,
  pages: readonly DocumentPage[],
  current: DocumentPage | undefined,
): string {
  const docs = `${node.root}/docs`;
  const title = current?.title ?? 'No such page';
  const main = (
    <div class="columns docs">
      <aside>
        <nav id="documents" aria-label="Documents">
          <ul>{pages.map((page) => entry(docs, page, page === current))}</ul>
        </nav>
      </aside>
      <div>
        <p class="jump">{link('#documents', 'All documents')}</p>
        {current ? (
          // Code and other text have no quotes as they are: what is replaced are links.
          <article class="doc">{raw(current.html.replaceAll('="/docs', `="${docs}`))}</article>
        ) : (
          <>
            <h1>{title}</h1>
            <p>The documentation has no page of this name. Another version may have called it otherwise.</p>
          </>
        )}
      </div>
    </div>
  );
  return renderPage({ node, part: 'docs', title, main });
}

/** A document in the menu; below the one that is shown, its sections. */
function entry(docs: string, { name, title, sections }: DocumentPage, isCurrent: boolean): Markup {
  const path = name === '' ? docs : `${docs}/${name}`;
  const words = name === '' ? 'Overview' : title;
  if (!isCurrent) return <li>{link(path, words)}</li>;
  const own = sections.filter(({ depth }) => depth === 2);
  return (
    <li>
      <a {...{ href: path, 'aria-current': 'page' }}>{words}</a>
      <ul>
        {own.map(({ id, heading }) => (
          <li>{link(`#${id}`, heading)}</li>
        ))}
      </ul>
    </li>
  );
}
