import { html } from 'hono/html';
import type { Catalog } from '../../catalog/catalog.js';
import { shapeName } from '../../component/shape-names.js';
import { rootPath } from '../../http/paths.js';
import type { Handler } from '../../lib/http/resource.js';
import { jsonText } from '../../lib/http/response/json-text.js';
import { needsScript } from '../shell/fragments.js';
import { hostOf, type Markup, renderPage } from '../shell/page.js';
import { type PageParts, pageAnswer } from '../shell/page-answer.js';
import type { NodeView } from '../shell/view.js';
import { checkForms } from './check.js';
import { nodeRows, nodesAsked } from './node-rows.js';

interface PublishPageParts extends PageParts {
  readonly catalog: Catalog;
}

/** Shapes that are offered while somebody types. */
const OFFERED = 300;

/**
 * `GET /publish`: where authors describe a component, and their browser writes the description into their own pod. This
 * page alone may talk to any server, because pods are anywhere; its scripts are the node's own, as everywhere.
 */
export function getPublish({ catalog, node }: PublishPageParts): Handler {
  return async () => {
    const view = node();
    const { naming } = await catalog.state();
    const { by } = await catalog.counts({}, ['shapes']);
    const frequent = [...by.shapes].toSorted(([, one], [, other]) => other - one);
    const shapes = frequent.slice(0, OFFERED).map(([iri]) => iri);
    const nodes = await nodesAsked(view.baseUrl, catalog);
    // A node without https is tried out on somebody's own machine, and so is the pod.
    const connect = view.baseUrl.startsWith('https:') ? ['https:'] : ['https:', 'http:'];
    return pageAnswer(publishPage({ node: view, component: naming.vocabulary.component, shapes, nodes }), {
      connect,
    });
  };
}

/** `GET /publish/client`: the client identifier document, by which providers know who asks for a sign-in (Solid-OIDC, section 5.1). */
export function getClient({ node }: PageParts): Handler {
  return () => {
    const { baseUrl } = node();
    const document = {
      '@context': ['https://www.w3.org/ns/solid/oidc-context.jsonld'],
      client_id: baseUrl + CLIENT_PATH,
      client_name: `Component registry ${hostOf(baseUrl)}`,
      client_uri: baseUrl + PUBLISH_PATH,
      redirect_uris: [baseUrl + PUBLISH_PATH],
      scope: 'openid webid offline_access',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
    const headers = { 'content-type': 'application/ld+json', 'cache-control': 'no-cache' };
    return { status: 200, headers, body: jsonText(document) };
  };
}

/** Where a provider sends somebody back who has signed in, and where it finds out who asks. */
const PUBLISH_PATH = '/publish';
const CLIENT_PATH = '/publish/client';

interface PublishView {
  readonly node: NodeView;
  /** IRI of the class of components, by which type indexes know them. */
  readonly component: string;
  /** IRIs of shapes that are offered, the most frequent first. */
  readonly shapes: readonly string[];
  /** Base URLs of the nodes that are asked whether they list it, this one first. */
  readonly nodes: readonly string[];
}

/** The page at `/publish`. Its script publishes: the visitor's browser writes into the visitor's pod. This node checks. */
function publishPage({ node, component, shapes, nodes }: PublishView): string {
  const root = rootPath(node.baseUrl);
  const main = html`<h1>Publish a component</h1>
${needsScript(html`To publish from this page needs JavaScript. Without it, the command line does the same: <a href="${root}/docs/authors">publish</a>.`)}
<p class="lead">Describe it; your browser writes the description into your own pod, and nodes that read your pod list it.
You sign in at your pod; this node never sees your password or your session.</p>
<div id="publish" data-client="${node.baseUrl}${CLIENT_PATH}" data-component="${component}" hidden>
${mine()}
${about(root, shapes)}
${place()}
${sending()}
<section aria-labelledby="receipt"><h2 id="receipt">4. Who lists it</h2>
<p role="status" id="listing">Nobody has been asked yet.</p>
${nodeRows(node, nodes)}</section>
</div>
<section aria-labelledby="checking"><h2 id="checking">Check what you have written</h2>${checkForms(root)}</section>`;
  return renderPage({
    node,
    part: 'publish',
    title: 'Publish a component',
    main,
    scripts: ['shell.js', 'publish.js'],
  });
}

/** What the visitor has published already, once they have signed in. */
function mine(): Markup {
  return html`<section aria-labelledby="mine-title" id="mine" hidden><h2 id="mine-title">Yours, as this node knows them</h2>
<ul class="rows"></ul></section>`;
}

function about(root: string, shapes: readonly string[]): Markup {
  return html`<section aria-labelledby="about"><h2 id="about">1. What it is</h2>
<div id="drop" class="drop"><label for="files">From its manifest: choose or drop <code>package.json</code>, with <code>custom-elements.json</code>
and <code>component.json</code> where there are any</label>
<input id="files" type="file" accept=".json,application/json" multiple>
<details><summary>Or paste one</summary><label for="pasted">Text of the manifest</label><textarea id="pasted" rows="4" spellcheck="false"></textarea></details>
<p role="status" id="manifest"></p></div>
<div class="describing"><form id="description" autocomplete="off">
${field({ name: 'uri', label: 'URL of its module', type: 'url', hint: 'Browsers import it from there.', required: true })}
${field({ name: 'label', label: 'Name', required: true })}
${field({ name: 'description', label: 'What it shows, in a sentence' })}
${field({ name: 'version', label: 'Version', hint: 'Three numbers, as in 1.0.0: a new one with each change of the module.' })}
<div class="field"><label><input type="checkbox" name="latest" checked> This is its latest version</label></div>
${field({ name: 'author', label: 'Authors', hint: 'Names or WebIDs, with commas between them.' })}
${field({ name: 'tag', label: 'Tags', hint: 'With commas between them; the first one names its element.' })}
<fieldset id="shapes"><legend>What data it renders</legend>
<p class="hint">A class or shape: an IRI, or a name such as foaf:Person.</p></fieldset>
<datalist id="known-shapes">${shapes.map((iri) => html`<option value="${iri}">${shapeName(iri)}</option>`)}</datalist>
${field({ name: 'example', label: 'URL of example data', type: 'url', hint: 'Pages of nodes show your component with it: everyone, on every website, must be able to read it.' })}
<details><summary>How it gets its data</summary>
<p class="hint">Leave it empty for elements that ask by <a href="${root}/docs/authors#the-module">events</a>.</p>
${field({ name: 'element', label: 'Name of the element', placeholder: 'my-card' })}
${field({ name: 'attribute', label: 'Its attribute', placeholder: 'src' })}
<div class="field"><label for="meaning">The attribute takes</label><select id="meaning" name="meaning">
<option value="ac:open">the URL of the data</option><option value="data">the data itself, as Turtle</option></select></div>
<p class="hint" id="capability"></p></details>
${field({ name: 'integrity', label: 'Hash of the module', hint: 'Your browser computes it from the URL above. Hosts run nothing else.' })}
<p role="status" class="hint" id="hashed"></p>
</form>
<div><h3>What to correct</h3><ul class="findings" id="findings" aria-live="polite"></ul>
<details open><summary>The document, as Turtle</summary><div class="code"><p>It grows while you fill in the form.</p><pre tabindex="0" role="region" aria-label="The document as Turtle"><code id="turtle"></code></pre></div></details></div></div></section>`;
}

function place(): Markup {
  return html`<section aria-labelledby="where"><h2 id="where">2. Where it goes</h2>
<form id="signing" class="question"><label for="issuer">Your WebID, or the address of your pod's provider</label>
<div><input id="issuer" name="issuer" type="url" required placeholder="https://…" autocomplete="url" spellcheck="false"><button>Sign in</button></div>
<p role="status" id="signed"></p></form>
<div class="field"><label for="address">URL of the document</label>
<input id="address" type="url" placeholder="https://…/components/my-card.ttl" spellcheck="false" aria-describedby="address-hint">
<p class="hint" id="address-hint">Without a pod: save the document, put it on any web server as text/turtle, and name its URL here.
<a id="save" download="component.ttl" href="#turtle">Save it</a></p></div></section>`;
}

function sending(): Markup {
  return html`<section aria-labelledby="sending"><h2 id="sending">3. Publish</h2>
<p class="actions"><button id="write" disabled>Write it into my pod</button> <button id="check" class="second">It is there: look at it</button></p>
<p role="status" id="written"></p>
<ul class="findings" id="proof" aria-live="polite"></ul></section>`;
}

interface TextField {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly type?: 'text' | 'url';
  readonly required?: boolean;
  readonly placeholder?: string;
}

function field({ name, label, hint, type = 'text', required = false, placeholder = '' }: TextField): Markup {
  return html`<div class="field"><label for="f-${name}">${label}${required ? '' : html` <small>optional</small>`}</label>
<input id="f-${name}" name="${name}" type="${type}" placeholder="${placeholder}" spellcheck="false"${required ? html` required` : ''}${hint ? html` aria-describedby="h-${name}"` : ''}>
${hint ? html`<p class="hint" id="h-${name}">${hint}</p>` : ''}</div>`;
}
