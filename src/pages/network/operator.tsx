import { html } from 'hono/html';
import { counted } from '../../lib/counted.js';
import { address, needsScript, separated } from '../shell/fragments.js';
import type { Markup } from '../shell/page.js';
import { type RowProps, Rows, Section } from '../shell/rows.js';
import type { NetworkView } from './state.js';

interface DeedProps {
  readonly words: string;
  readonly method?: 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

/** A button of the operator: the script of the page sends what it names, with the token. */
export function Deed({ words, method = 'POST', path, body }: DeedProps): Markup {
  const sent = body && JSON.stringify(body);
  return (
    <button type="button" class="second" data-method={method} data-path={path} data-body={sent}>
      {words}
    </button>
  );
}

/** What waits for the operator; the buttons for everything else stand beside what they are for. */
export function OperatorSection(view: NetworkView): Markup {
  const desk = html`${SIGN_IN}<div id="desk" class="desk" tabindex="-1" hidden>
<p class="hint" id="state" role="status"></p>
<div id="waiting" data-live>${view.isOperator ? waiting(view) : ''}</div>
${REHEARSAL}
<p><button type="button" id="sign-out" class="second">Sign out</button></p>
</div>`;
  return (
    <Section id="operator" title="For the operator">
      {view.hasToken ? desk : NO_TOKEN}
    </Section>
  );
}

const NO_TOKEN = html`<p class="hint">This node has no operator token. Start it with one in the environment
variable <code>REGISTRY_OPERATOR_TOKEN</code> to decide here.</p>`;

const SIGN_IN = html`${needsScript('To decide here needs JavaScript: the page keeps your token in its memory, and sends it to this node only.')}
<form id="sign-in" class="question" hidden>
<label for="token">Your token</label>
<p class="hint" id="token-hint">The operator token, from the environment variable
<code>REGISTRY_OPERATOR_TOKEN</code>: it opens what waits for you here. It stays in the memory of this page,
until you close it or load it again.</p>
<div><input id="token" type="password" required autocomplete="off" aria-describedby="token-hint">
<button>Sign in</button></div>
<p id="sign-in-fault" class="fault" role="alert"></p>
</form>`;

const REHEARSAL = html`<form id="rehearse" class="question">
<label for="rehearse-url">What would trusting it lead to?</label>
<p class="hint" id="rehearse-hint">The address of a pod or of a node. It is read once, and nothing changes.</p>
<div><input id="rehearse-url" type="url" required maxlength="2048" spellcheck="false" aria-describedby="rehearse-hint"><button>Rehearse</button></div>
<p id="rehearse-said" role="status"></p></form>
<pre id="rehearsal" tabindex="0" aria-label="The rehearsal" hidden></pre>`;

/** The addresses that wait for approval, and how much else there is to decide on this page. */
function waiting({ refusals: { counts, examples }, sources, pinning }: NetworkView): Markup {
  const count = counts['not-approved'] ?? 0;
  const rows = examples.filter(({ reason }) => reason === 'not-approved').map(proposed);
  const more = count - rows.length;
  const above = [
    [sources.filter(({ shrink }) => shrink).length, 'pending removal', '#sources-title'] as const,
    [sources.filter(({ state }) => state === 'failing').length, 'failing source', '#sources-title'] as const,
    [pinning.changed, 'changed module', '#pins-title'] as const,
  ].filter(([many]) => many > 0);
  if (count === 0 && above.length === 0) return <p class="hint">Nothing waits for you.</p>;
  const links = above.map(([many, noun, place]) => html`<a href="${place}">${counted(many, noun)}</a>`);
  return (
    <>
      {links.length > 0 && <p>Above, with what can be done about it: {separated(links)}.</p>}
      {count > 0 && <h3>Waiting for approval ({count.toLocaleString('en')})</h3>}
      <Rows rows={more > 0 ? [...rows, { head: `and ${more.toLocaleString('en')} more` }] : rows} />
    </>
  );
}

function proposed({ url, kind, via }: NetworkView['refusals']['examples'][number]): RowProps {
  return {
    name: url,
    head: address(url),
    notes: [`a ${kind}, told of by ${via}`],
    deeds: [
      <Deed path="/discovery" body={{ url, decision: 'approve' }} words="Approve" />,
      <Deed path="/discovery" body={{ url, decision: 'reject' }} words="Reject" />,
      html`<button type="button" class="second" data-rehearse="${url}">Rehearse</button>`,
    ],
  };
}
