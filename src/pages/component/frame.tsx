import type { Catalog } from '../../catalog/catalog.js';
import { type FragmentInvocation, type Invocation, KINDS } from '../../component/capability.js';
import type { Metadata } from '../../component/metadata.js';
import { Problem } from '../../lib/http/problem.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler } from '../../lib/http/resource.js';
import { type PageParts, readWebAddress, sourceOf } from '../shell/page-answer.js';

const VARY = { vary: 'Sec-Fetch-Dest' };

/**
 * `GET /frame?uri=&entry=`: the document in which the frame of the host library shows a component with data, with a policy.
 * It is sent only for components that this node serves, and only into a frame: in a tab of its own, the component could
 * navigate to any address and send there what it has read. Browsers say what a document is for in `Sec-Fetch-Dest`, but only
 * to https and loopback addresses; without this header, nothing is shown until the page around the frame says so.
 */
export function getFrame({
  catalog,
  node,
}: PageParts & { readonly catalog: Pick<Catalog, 'statements'> }): Handler {
  return async ({ req }) => {
    if ((req.header('sec-fetch-dest') ?? 'iframe') !== 'iframe')
      throw new Problem(403, 'This document is for a frame in a page', { headers: VARY });
    const parameters = parametersOf(req.url);
    const entry = readWebAddress(parameters, 'entry');
    const [served] = await catalog.statements(parameters.get('uri') ?? '');
    if (!served || entry === '')
      throw new Problem(404, 'There is no such component here, or no data was named');
    const { uri, label, tag, capability } = served.metadata;
    const { root } = node();
    const document = (
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="color-scheme" content="light dark" />
          <title>{label}</title>
          {/* The document has no origin, so that the script comes from another one. */}
          <script type="module" crossorigin="" src={`${root}/host-frame.js`} />
        </head>
        <body data-component={JSON.stringify({ uri, tag, capability })} data-entry={entry} />
      </html>
    );
    const headers = { ...frameHeaders(served.metadata, entry), ...VARY, 'cache-control': 'no-cache' };
    return { status: 200, headers, body: `<!doctype html>\n${document}\n` };
  };
}

/**
 * The headers of the document in the sandbox. The `sandbox` directive gives it an opaque origin, even in a tab of its
 * own, so a component cannot act in the name of the node. Scripts are loaded from the node and the servers of the
 * component's modules, data from those, from that of the entry, and from those of its shapes.
 */
function frameHeaders(metadata: Metadata, entry: string): Record<string, string> {
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

/** The origins of a component's modules, and all that it may reach: those of the data and of its shapes, too. */
export function reached(
  { uri, capability = [] }: Metadata,
  entry: string,
): Record<'modules' | 'named', readonly string[]> {
  const fragments = capability.flatMap(({ invocation = [] }) => invocation.filter(isFragment));
  const modules = originsOf([uri, ...fragments.flatMap((one) => one.module.map((module) => module.uri))]);
  const named = originsOf([modules, entry, capability.flatMap(({ shape = [] }) => shape)].flat());
  return { modules, named };
}

/** Shapes may be IRIs that are no addresses. */
function originsOf(urls: readonly string[]): string[] {
  return [...new Set(urls.filter((url) => /^https?:/i.test(url)).map(sourceOf))];
}

function isFragment(one: Invocation): one is FragmentInvocation {
  return one.type === KINDS.fragment;
}
