import { html } from 'hono/html';
import { applicationLink } from '../../component/application-link.js';
import {
  canBeShown,
  type Invocation,
  KINDS,
  type UriTemplateInvocation,
} from '../../component/capability.js';
import type { Metadata } from '../../component/metadata.js';
import { Problem } from '../../lib/http/problem.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Answer, Handler, RouteContext } from '../../lib/http/resource.js';
import type { Catalog } from '../../registry/catalog.js';
import type { Description } from '../../registry/description.js';
import { reached } from '../../web/content-policy.js';
import { tryForm } from '../../web/forms.js';
import { needsScript } from '../../web/fragments.js';
import { headElements, type Markup, renderPage } from '../../web/page.js';
import { originBadge } from '../../web/samples.js';
import { componentPath, type NodeView, rootPath } from '../../web/view.js';
import { type PageParts, pageAnswer } from '../page-answer.js';
import { noComponentPage } from './component/component-view.js';
import { changedNotice } from './component/fact-section.js';
import { usage } from './component/usage.js';
import { questionPage, readWebAddress } from './question-page.js';

export interface TrialParts extends PageParts {
  readonly lookup: Pick<Catalog, 'statements'>;
}

const QUESTION = {
  path: '/try',
  title: 'Try a component',
  explanation: 'In a sandbox, with data of yours that everybody may read.',
  button: 'Try',
  fields: [
    { name: 'uri', label: 'URL of its module' },
    { name: 'entry', label: 'URL of your data' },
  ],
};

/** `GET /try?uri=&entry=`: a page with a component in a sandbox; `entry` is the URL of the visitor's data. */
export function getTrial(parts: TrialParts): Handler {
  return async (c) => {
    const { uri, entry } = readTrial(c);
    const node = parts.node();
    if (uri === '') return pageAnswer(questionPage(node, QUESTION));
    const described = await served(parts, uri);
    if (!described) return pageAnswer(noComponentPage(node, uri), { status: 404 });
    return pageAnswer(tryPage(node, { served: described, entry }));
  };
}

/**
 * `GET /try/frame?uri=&entry=`: the document in the sandbox. It is sent only for components that this node serves, and
 * only into a frame: in a tab of its own, the component could navigate to any address and send there what it has
 * read. Browsers say what a document is for in `Sec-Fetch-Dest`, but only to https and loopback addresses; without
 * this header, the script of the frame checks that it runs in one.
 */
export function getTrialFrame(parts: TrialParts): Handler {
  return getFrame(parts, "'self'");
}

/** `GET /embed?uri=&entry=`: the same document for the pages of others, who may not add scripts. It runs in the same sandbox. */
export function getEmbeddedFrame(parts: TrialParts): Handler {
  return getFrame(parts, '*');
}

function getFrame(parts: TrialParts, ancestors: string): Handler {
  return async (c): Promise<Answer> => {
    if ((c.req.header('sec-fetch-dest') ?? 'iframe') !== 'iframe')
      throw new Problem(403, 'This document is for a frame in a page', { headers: VARY });
    const { uri, entry } = readTrial(c);
    const described = await served(parts, uri);
    if (!described || entry === '')
      throw new Problem(404, 'There is no such component here, or no data was named');
    const trial: Trial = { served: described, entry };
    const headers = { ...frameHeaders(trial, ancestors), ...VARY, 'cache-control': 'no-cache' };
    return { status: 200, headers, body: frameDocument(parts.node(), trial) };
  };
}

async function served({ lookup }: TrialParts, uri: string): Promise<Description | undefined> {
  const [first] = await lookup.statements(uri);
  return first;
}

const VARY = { vary: 'Sec-Fetch-Dest' };

/** @throws Problem 422 when `entry` is no http or https URL */
function readTrial(c: RouteContext): { uri: string; entry: string } {
  const parameters = parametersOf(c.req.url);
  return { uri: parameters.get('uri') ?? '', entry: readWebAddress(parameters, 'entry') };
}

interface Trial {
  /** The component, and who describes it. */
  readonly served: Description;
  /** URL of the data, `''` when none has been named yet. */
  readonly entry: string;
}

/** The page at `/try`: a component in a sandbox, with data that the visitor chooses. */
function tryPage(node: NodeView, { served, entry }: Trial): string {
  const component = served.metadata;
  const { uri, label } = component;
  const isShown = canBeShown(component.capability);
  const parameters = new URLSearchParams({ uri, entry });
  const main = html`<h1>Try <a href="${componentPath(node.baseUrl, uri)}">${label}</a>${originBadge(served)}</h1>
${needsScript(SCRIPT_NEEDED)}
${changedNotice(served, node.baseUrl)}
${tryForm(node, uri, entry)}
${links(component, entry)}
${entry === '' || !isShown ? '' : html`<iframe class="trial" title="${label}, with the data at ${entry}" sandbox="allow-scripts allow-forms" referrerpolicy="no-referrer" src="${rootPath(node.baseUrl)}/try/frame?${parameters}"></iframe>`}
<p class="hint">The component runs in a sandbox of its own. It can talk to the servers of its modules, of its shapes and of the data, and
to no other. What it asks this page for, it may read and not write; what it sends to those servers by itself, it sends as a
stranger, without your cookies and tokens. The data must be readable for everyone, and its server must let other pages read it (CORS).</p>
${isShown ? usage(served, node.baseUrl, entry === '' ? undefined : entry) : ''}`;
  return renderPage({ node, part: 'components', title: `Try ${label}`, main });
}

const SCRIPT_NEEDED = 'Components are programs: this needs JavaScript.';

/** What opens the data with an application. */
function links({ uri, label, capability = [] }: Metadata, entry: string): Markup | '' {
  const urls = capability
    .flatMap(({ invocation = [] }) => invocation)
    .flatMap((one) => (isTemplate(one) && entry !== '' ? (applicationLink(uri, one, entry) ?? []) : []));
  const link = (url: string) =>
    html`<li><a href="${url}" rel="noopener noreferrer">Open with ${label}</a> <small>${url}</small></li>`;
  return urls.length === 0 ? '' : html`<ul>${[...new Set(urls)].map(link)}</ul>`;
}

/** The document in the sandbox. Its attributes name the component and the data, which the script of the frame loads. */
function frameDocument(node: NodeView, { served, entry }: Trial): string {
  const root = rootPath(node.baseUrl);
  const { uri, label, tag, capability, integrity } = served.metadata;
  const promised = [integrity, served.pin?.integrity].filter((one) => one !== undefined);
  return String(html`<!doctype html>
<html lang="en">
<head>
${headElements(label)}
<link rel="stylesheet" href="${root}/explorer.css">
<script type="module" crossorigin src="${root}/explorer-frame.js"></script>
</head>
<body class="frame" data-component="${JSON.stringify({ uri, tag, capability })}" data-entry="${entry}" data-promised="${JSON.stringify([...new Set(promised)])}">
<main id="stage">${needsScript(SCRIPT_NEEDED)}<p id="progress" role="status">Loading the component …</p></main>
<section aria-labelledby="requests"><h2 id="requests">What it asks for</h2><ol id="log"></ol></section>
</body>
</html>
`);
}

/**
 * The headers of the document in the sandbox. The `sandbox` directive gives it an opaque origin, even in a tab of its
 * own, so a component cannot act in the name of the node. Scripts are loaded from the node and the servers of the
 * component's modules, data from those, from that of the entry, and from those of its shapes.
 */
function frameHeaders({ served, entry }: Trial, ancestors: string): Record<string, string> {
  const { modules, named } = reached(served.metadata, entry);
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
      `frame-ancestors ${ancestors}`,
    ].join('; '),
    'referrer-policy': 'no-referrer',
  };
}

function isTemplate(one: Invocation): one is UriTemplateInvocation {
  return one.type === KINDS.template;
}
