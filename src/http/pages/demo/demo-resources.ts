import { html } from 'hono/html';
import type { Config } from '../../../config.js';
import { DEMO_PATH, type Sample, type Samples } from '../../../demo/samples.js';
import { ANY_ORIGIN } from '../../../lib/http/headers/cors.js';
import type { Handler } from '../../../lib/http/resource.js';
import { needsScript } from '../../../web/fragments.js';
import { type Markup, renderPage } from '../../../web/page.js';
import { samplesOffer, samplesQuestion } from '../../../web/samples.js';
import { componentPath, type NodeView, rootPath, trialPath } from '../../../web/view.js';
import { isWritable } from '../../access/operator.js';
import { corsFor } from '../../access/own-origin.js';
import type { OwnResource } from '../../own-resource.js';
import { type PageParts, pageAnswer } from '../../page-answer.js';
import { getSampleData, getSampleFile, putSampleData, type SampleFilesParts } from './sample-files.js';
import { postSet, type SetFormParts } from './set-form.js';

export interface DemoParts extends DemoPageParts, SampleFilesParts, Pick<SetFormParts, 'audit'> {
  readonly config: Pick<Config, 'write' | 'mode' | 'operatorToken' | 'baseUrl'>;
}

/** The samples: a page that shows them, their modules and descriptions, and data that may be changed. */
export function demoResources(parts: DemoParts): OwnResource[] {
  const writable = isWritable(parts.config);
  const form = { set: parts.samples, field: 'samples', words: 'the samples', path: DEMO_PATH };
  return [
    {
      path: DEMO_PATH,
      methods: {
        GET: getDemoPage(parts),
        POST: writable ? postSet({ ...parts, ...form }) : undefined,
      },
    },
    {
      path: `${DEMO_PATH}/data/*`,
      cors: corsFor(parts.config, 'PUT'),
      methods: {
        GET: getSampleData(parts),
        PUT: writable ? putSampleData(parts) : undefined,
      },
    },
    // The sandboxed frame has an opaque origin, so it needs CORS even for the node's own files.
    { path: `${DEMO_PATH}/*`, cors: ANY_ORIGIN, methods: { GET: getSampleFile(parts) } },
  ];
}

interface DemoPageParts extends PageParts {
  readonly samples: Samples;
  readonly config: Pick<Config, 'write'>;
}

/** `GET /demo`: the samples at work, or how to have them shown; with `?remove=ask`, whether they are to be removed. */
function getDemoPage({ samples, config: { write }, ...parts }: DemoPageParts): Handler {
  return ({ req }) => {
    const node = parts.node();
    const all = samples.shown?.all;
    const isAsked = write === 'open' && req.query('remove') === 'ask';
    const main = all ? running(node, write, all, isAsked) : offered(node);
    return pageAnswer(renderPage({ node, part: 'components', title: 'Demo', main }));
  };
}

function offered(node: NodeView): Markup {
  return html`<h1>Demo</h1>
<p class="lead">This node can show what it is for: components that render data, found by the shape of the data.</p>
${samplesOffer(node)}`;
}

/** A host application with the samples, running in the node's own origin. */
function running(
  node: NodeView,
  write: Config['write'],
  samples: readonly Sample[],
  isAsked: boolean,
): Markup {
  const root = rootPath(node.baseUrl);
  return html`<h1>Demo</h1>
${isAsked ? samplesQuestion(node) : ''}
${needsScript('Components are programs: this page needs JavaScript.')}
<p class="lead">This page has data, and no idea how to show it. It reads the shape of the data, asks the node which components render that
shape, loads one, and answers what it asks for.</p>
${changes(write)}
${samples.map((sample) => section(node, sample))}
<section aria-labelledby="asked"><h2 id="asked">What the components have asked this page for</h2>
<ol class="rows" id="log"></ol></section>
<p>The page in full, for data of your own: <a href="${root}/docs/web-developers#showing-data-the-three-minute-story">the three-minute story</a>.
A component in full: <a href="${root}/docs/authors#the-module">for authors</a>.</p>
<script type="module" src="${root}/explorer-demo.js"></script>`;
}

/** What becomes of changes, which depends on who may write to the node. */
function changes(write: Config['write']): Markup {
  if (write === 'open')
    return html`<p>Change something: it is written back to the node, and is there when you come again.</p>`;
  if (write === 'operator')
    return html`<p>Changes need the operator token on this node, which this page does not have: the components will say that they could not save.</p>`;
  return html`<p>Nobody may write to this node, so the components will say that they could not save.</p>`;
}

function section(node: NodeView, { metadata, entry, code }: Sample): Markup {
  const { uri, label, description, shapes } = metadata;
  const root = rootPath(node.baseUrl);
  return html`<section class="trying" aria-label="${label}">
<h2>${label} <span class="sample">sample</span></h2>
<p>${description ?? ''}</p>
<div class="stage" data-entry="${entry}" data-component="${uri}"><p role="status">Loading …</p></div>
<p class="meta"><a href="${entry}">its data</a> <a href="${componentPath(node.baseUrl, uri)}">its page</a>
<a href="${trialPath(node.baseUrl, uri, entry)}">try it in the sandbox</a> <a href="${root}/?shapes=${encodeURIComponent(shapes[0] ?? '')}">everything for this shape</a></p>
<details><summary>The whole module, ${code.trim().split('\n').length} lines</summary>
<div class="code"><p></p><pre tabindex="0"><code>${code}</code></pre></div></details>
</section>`;
}
