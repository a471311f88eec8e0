import { html } from 'hono/html';
import type { Config } from '../../config.js';
import type { Handler } from '../../lib/http/resource.js';
import { signInForm } from '../../web/forms.js';
import { type Markup, renderPage } from '../../web/page.js';
import { type PageParts, pageAnswer } from '../page-answer.js';

/** `GET /operate`: the operator's own page. It is the same for everybody: its script fills it with what the token opens. */
export function getOperatorPage({
  node,
  config,
}: PageParts & { readonly config: Pick<Config, 'operatorToken'> }): Handler {
  return () => {
    const view = node();
    const main = html`<h1>Operate</h1>
<p class="lead">What waits for the operator of this node, and what the operator has done.</p>
${config.operatorToken === undefined ? html`<p class="alert">This node has no operator token. Start it with one in the environment variable <code>REGISTRY_OPERATOR_TOKEN</code>.</p>` : html`${signInForm(html`The operator token, from the environment variable <code>REGISTRY_OPERATOR_TOKEN</code>.`)}${DESK}`}`;
    return pageAnswer(renderPage({ node: view, title: 'Operate', scripts: ['explorer-operate.js'], main }));
  };
}

const LISTS = [
  { id: 'approval', title: 'Waiting for approval' },
  { id: 'removals', title: 'Pending removals' },
  { id: 'modules', title: 'Changed modules' },
  { id: 'failing', title: 'Failing and paused sources' },
  { id: 'refused', title: 'Not read' },
] as const;

const DESK = html`<div id="desk" class="desk" tabindex="-1" hidden>
<p class="hint" id="state" role="status"></p>
${LISTS.map(
  ({
    id,
    title,
  }) => html`<section aria-labelledby="${id}-title"><h2 id="${id}-title">${title} (<span id="${id}-count">0</span>)</h2>
<ul id="${id}" class="rows"></ul></section>
`,
)}
${addressForm('rehearse', 'What would trusting it lead to?', 'Rehearse', 'The address of a pod or of a node. It is read once, and nothing changes.')}
<pre id="rehearsal" tabindex="0" aria-label="The rehearsal" hidden></pre>
${addressForm('hint', 'Something has changed there', 'Hint', 'The address of a pod, a document or a node that this node reads. It is polled soon.')}
${addressForm('forget', 'Forget what was seen of a module', 'Forget', 'The address of a module, once you have made sure that what is there now is right. What is there at the next look counts as its first bytes.')}
<section aria-labelledby="audit-title"><h2 id="audit-title">What was done lately</h2><ul id="audit" class="rows"></ul></section>
<p><button type="button" id="sign-out" class="second">Sign out</button></p>
</div>`;

function addressForm(id: string, label: string, button: string, hint: string): Markup {
  return html`<form id="${id}-form" class="question"><label for="${id}-url">${label}</label>
<p class="hint" id="${id}-hint">${hint}</p>
<div><input id="${id}-url" type="url" required maxlength="2048" spellcheck="false" aria-describedby="${id}-hint"><button>${button}</button></div>
<p id="${id}-said" role="status"></p></form>
`;
}
