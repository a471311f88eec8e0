import type { Catalog } from '../../catalog/catalog.js';
import type { Description } from '../../catalog/description.js';
import { rootPath } from '../../http/paths.js';
import { Problem } from '../../lib/http/problem.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler } from '../../lib/http/resource.js';
import { COMPONENTS_NEED_SCRIPTS, needsScript } from '../shell/fragments.js';
import { Head } from '../shell/page.js';
import { type PageParts, readWebAddress } from '../shell/page-answer.js';
import type { NodeView } from '../shell/view.js';
import { reached } from './reach.js';

export interface FrameParts extends PageParts {
  readonly lookup: Pick<Catalog, 'statements'>;
}

const VARY = { vary: 'Sec-Fetch-Dest' };

/**
 * `GET /frame?uri=&entry=`: the document in the sandbox, in which a component is shown with data. It is sent only for
 * components that this node serves, and only into a frame: in a tab of its own, the component could navigate to any address
 * and send there what it has read. Browsers say what a document is for in `Sec-Fetch-Dest`, but only to https and loopback
 * addresses; without this header, the script of the frame checks that it runs in one.
 */
export function getFrame({ lookup, node }: FrameParts): Handler {
  return async ({ req }) => {
    if ((req.header('sec-fetch-dest') ?? 'iframe') !== 'iframe')
      throw new Problem(403, 'This document is for a frame in a page', { headers: VARY });
    const parameters = parametersOf(req.url);
    const entry = readWebAddress(parameters, 'entry');
    const [served] = await lookup.statements(parameters.get('uri') ?? '');
    if (!served || entry === '')
      throw new Problem(404, 'There is no such component here, or no data was named');
    const headers = { ...frameHeaders(served, entry), ...VARY, 'cache-control': 'no-cache' };
    const document = <FrameDocument node={node()} served={served} entry={entry} />;
    return { status: 200, headers, body: `<!doctype html>\n${document}\n` };
  };
}

interface FrameDocumentProps {
  readonly node: NodeView;
  readonly served: Description;
  readonly entry: string;
}

/** The document in the sandbox. Its attributes name the component and the data, which the script of the frame loads. */
function FrameDocument({ node, served: { metadata, pin }, entry }: FrameDocumentProps) {
  const { uri, label, tag, capability, integrity } = metadata;
  const promised = [...new Set([integrity, pin?.integrity].filter((one) => one !== undefined))];
  return (
    <html lang="en">
      <head>
        <Head title={label} root={rootPath(node.baseUrl)} scripts={['component.js']} isSandboxed />
      </head>
      <body
        class="frame"
        data-component={JSON.stringify({ uri, tag, capability })}
        data-entry={entry}
        data-promised={JSON.stringify(promised)}
      >
        <main id="stage">
          {needsScript(COMPONENTS_NEED_SCRIPTS)}
          <p id="progress" role="status">
            Loading the component …
          </p>
        </main>
        <section aria-labelledby="requests">
          <h2 id="requests">What it asks for</h2>
          <ol id="log" />
        </section>
      </body>
    </html>
  );
}

/**
 * The headers of the document in the sandbox. The `sandbox` directive gives it an opaque origin, even in a tab of its
 * own, so a component cannot act in the name of the node. Scripts are loaded from the node and the servers of the
 * component's modules, data from those, from that of the entry, and from those of its shapes.
 */
function frameHeaders({ metadata }: Description, entry: string): Record<string, string> {
  const { modules, named } = reached(metadata, entry);
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      // `allow-forms` lets components receive submit events; `form-action` below prevents that a form is sent.
      'sandbox allow-scripts allow-forms',
      "default-src 'none'",
      // Modules whose bytes the library has checked are run from `blob:`.
      `script-src 'self' blob: ${modules.join(' ')}`,
      `connect-src ${named.join(' ')}`,
      `img-src ${named.join(' ')} data: blob:`,
      `media-src ${named.join(' ')} data: blob:`,
      `font-src ${named.join(' ')} data:`,
      // Components have inline styles in their shadow roots.
      "style-src 'self' 'unsafe-inline'",
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'self'",
    ].join('; '),
    'referrer-policy': 'no-referrer',
  };
}
