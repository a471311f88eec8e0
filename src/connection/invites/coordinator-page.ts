import { html } from 'hono/html';
import type { Resource } from '../../lib/http/resource.js';
import { pageHeaders } from '../../web/content-policy.js';
import { signInForm } from '../../web/forms.js';
import { renderPage } from '../../web/page.js';
import type { NodeView } from '../../web/view.js';
import { entityAnswer } from '../http/entity.js';
import type { RouteParts } from '../route-parts.js';

export const COORDINATOR_HEADERS: Readonly<Record<string, string>> = {
  ...pageHeaders(),
  'cache-control': 'no-cache',
};

/** The page for those who invite. It is the same for everybody: its script fills it with what the token of the visitor opens. */
export function coordinatorPage(node: NodeView, path: string): string {
  const main = html`<h1>Invites</h1>
<p class="lead">Make an invite, hand over its link, and see what became of it.</p>
${signInForm(html`The operator of this node makes a token for you: <code>token --holder &lt;address of your study&gt; --scope invite</code>.`)}
<div id="desk" class="desk" data-mount="${path}" tabindex="-1" hidden>
<section id="made" class="made" aria-labelledby="made-title" tabindex="-1" hidden>
<h2 id="made-title">You are invited: <span id="link-purpose"></span></h2>
<p id="link-sentence"></p>
<div id="qr"></div>
<p>Open this link, or scan the code:<br><a id="link" rel="noreferrer"></a></p>
<p>It is for <span id="link-holder"></span>, and open until <time id="link-until"></time>. Keep it: the same link shows later what is connected, and ends it.</p>
<p class="tools"><button type="button" id="print">Print this page</button> <button type="button" id="copy-link" class="second">Copy the link</button> <span id="copied" role="status"></span></p>
</section>
<form id="make" class="form" aria-labelledby="make-title"><h2 id="make-title">Make an invite</h2>
<p><label for="purpose">What for</label> <select id="purpose"><option value="">Another purpose …</option></select></p>
<p id="other"><label for="other-purpose">Address of the purpose</label> <input id="other-purpose" name="other-purpose" inputmode="url" maxlength="2048" autocapitalize="none" spellcheck="false"></p>
<p><label for="holder">Whom</label> <input id="holder" name="holder" inputmode="url" maxlength="2048" autocapitalize="none" spellcheck="false" aria-describedby="holder-hint">
<small id="holder-hint">The address that names the person, as their pod has it: alice.pod.example/profile/card#me</small></p>
<p><label for="days">Open for so many days</label> <input id="days" name="days" type="number" min="1" max="3650" value="30" required></p>
<p><button>Make the invite</button></p><p id="make-fault" class="fault" role="alert"></p></form>
${(['Open', 'Accepted', 'Ended'] as const).map((title) => {
  const id = title.toLowerCase();
  return html`<section aria-labelledby="${id}-title"><h2 id="${id}-title">${title} (<span id="${id}-count">0</span>)</h2><ul id="${id}" class="rows"></ul></section>
`;
})}
<p><button type="button" id="older" class="second" hidden>Show older ones</button> <button type="button" id="sign-out" class="second">Sign out</button></p>
</div>`;
  return renderPage({ node, title: 'Invites', scripts: ['explorer-invites.js'], main });
}

/** `/invites`: the page for those who invite, and `/invites/purposes`: the purposes that the operator has given names. */
export function coordinatorRoutes({ node, mount, purposes, authorised }: RouteParts): Resource[] {
  const named = Object.entries(purposes).map(([iri, said]) => ({ iri, ...said }));
  return [
    {
      path: '/invites',
      methods: {
        GET: () => ({ status: 200, headers: COORDINATOR_HEADERS, body: coordinatorPage(node(), mount.path) }),
      },
    },
    {
      path: '/invites/purposes',
      methods: { GET: authorised(['read', 'invite'], () => entityAnswer(200, named)) },
    },
  ];
}
