import { address, needsScript, Section } from '../shell/fragments.js';
import type { Markup } from '../shell/page.js';
import { Rows } from '../shell/rows.js';
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
  return (
    <Section id="operator" title="For the operator">
      {view.hasToken ? <Desk {...view} /> : NO_TOKEN}
    </Section>
  );
}

const NO_TOKEN = (
  <p class="hint">
    This node has no operator token. Start it with one in the environment variable{' '}
    <code>REGISTRY_OPERATOR_TOKEN</code> to decide here.
  </p>
);

function Desk(view: NetworkView): Markup {
  return (
    <>
      {needsScript('To decide here needs JavaScript: the page sends your token to this node only.')}
      <form id="sign-in" class="question" hidden>
        <label for="token">Your token</label>
        <p class="hint" id="token-hint">
          The operator token, from the environment variable <code>REGISTRY_OPERATOR_TOKEN</code>: it opens
          what waits for you here. It stays in the memory of this page, until you close it or load it again.
        </p>
        <div>
          <input id="token" type="password" required autocomplete="off" aria-describedby="token-hint" />
          <button type="submit">Sign in</button>
        </div>
        <p id="sign-in-fault" class="fault" role="alert" />
      </form>
      <div id="desk" class="desk" tabindex={-1} hidden>
        <p class="hint" id="state" role="status" />
        <div id="waiting" data-live>
          {view.isOperator && waiting(view)}
        </div>
        <p>
          <button type="button" id="sign-out" class="second">
            Sign out
          </button>
        </p>
      </div>
    </>
  );
}

/** The addresses that wait for approval. */
function waiting({ refusals: { counts, examples } }: NetworkView): Markup {
  const count = counts['not-approved'] ?? 0;
  if (count === 0) return <p class="hint">Nothing waits for you.</p>;
  const rows = examples
    .filter(({ reason }) => reason === 'not-approved')
    .map(({ url, kind, via }) => ({
      head: address(url),
      notes: [`a ${kind}, told of by ${via}`],
      deeds: [
        <Deed path="/discovery" body={{ url, decision: 'approve' }} words="Approve" />,
        <Deed path="/discovery" body={{ url, decision: 'reject' }} words="Reject" />,
      ],
    }));
  const more = count - rows.length;
  return (
    <>
      <h3>Waiting for approval ({count.toLocaleString('en')})</h3>
      <Rows rows={more > 0 ? [...rows, { head: `and ${more.toLocaleString('en')} more` }] : rows} />
    </>
  );
}
