import { html } from 'hono/html';
import type { Metadata } from '../../../component/metadata.js';
import type { Description } from '../../../registry/description.js';
import { sourceOf } from '../../../web/content-policy.js';
import { headElements, hostOf, renderPage } from '../../../web/page.js';
import { originMark } from '../../../web/samples.js';
import { tryForm } from '../../../web/try-form.js';
import { componentPath, type NodeView, rootPath } from '../../../web/view.js';

export interface Trial {
  readonly component: Metadata;
  /** Who describes the component, and whether anybody here answers for it. */
  readonly origin: Pick<Description, 'source' | 'trust'>;
  /** URL of the data, `''` when none has been named yet. */
  readonly entry: string;
}

/** The page at `/try`: a component in a sandbox, with data that the visitor chooses. */
export function tryPage(node: NodeView, { component, origin, entry }: Trial): string {
  const { uri, label } = component;
  const parameters = new URLSearchParams({ uri, entry });
  const main = html`<h1>Try <a href="${componentPath(node.baseUrl, uri)}">${label}</a>${originMark(origin)}</h1>
${tryForm(node, uri, entry)}
${entry === '' ? '' : html`<iframe class="trial" title="${label}, with the data at ${entry}" sandbox="allow-scripts allow-forms" referrerpolicy="no-referrer" src="${rootPath(node.baseUrl)}/try/frame?${parameters}"></iframe>`}
<p class="hint">The component runs in a sandbox of its own. It can talk to the server of its module and to that of the data, and
to no other. What it asks this page for, it may read and not write; what it sends to those two servers by itself, it sends as a
stranger, without your cookies and tokens. The data must be readable for everyone, and its server must let other pages read it (CORS).</p>
<noscript><p>Components are programs: this needs JavaScript.</p></noscript>`;
  return renderPage({ node, part: 'components', title: `Try ${label} – ${hostOf(node.baseUrl)}`, main });
}

/** The document in the sandbox. Its attributes name the component and the data, which the script of the frame loads. */
export function frameDocument(node: NodeView, { component, entry }: Trial): string {
  const root = rootPath(node.baseUrl);
  const { uri, tag } = component;
  return String(html`<!doctype html>
<html lang="en">
<head>
${headElements(component.label)}
<link rel="stylesheet" href="${root}/explorer.css">
<script type="module" crossorigin src="${root}/explorer-frame.js"></script>
</head>
<body class="frame" data-component="${JSON.stringify({ uri, tag })}" data-entry="${entry}">
<main id="stage"><p id="progress" role="status">Loading the component …</p></main>
<section aria-labelledby="requests"><h2 id="requests">What it asks for</h2><ol id="log"></ol></section>
</body>
</html>
`);
}

/**
 * The headers of the document in the sandbox. The `sandbox` directive gives it an opaque origin, even in a tab of its
 * own, so a component cannot act in the name of the node. Scripts are loaded from the node and the component's server,
 * data from the component's server and that of the entry.
 */
export function frameHeaders({ component, entry }: Trial): Record<string, string> {
  const module = sourceOf(component.uri);
  const named = [...new Set([module, sourceOf(entry)])].join(' ');
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      // `allow-forms` lets components receive submit events; `form-action` below prevents that a form is sent.
      'sandbox allow-scripts allow-forms',
      "default-src 'none'",
      `script-src 'self' ${module}`,
      `connect-src ${named}`,
      `img-src ${named} data: blob:`,
      `media-src ${named} data: blob:`,
      `font-src ${named} data:`,
      // Components have inline styles in their shadow roots.
      "style-src 'self' 'unsafe-inline'",
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'self'",
    ].join('; '),
    'referrer-policy': 'no-referrer',
  };
}
