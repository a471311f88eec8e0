import { needsScript, Section } from '../shell/fragments.js';
import type { Markup } from '../shell/page.js';

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

/** Where the operator signs in. The buttons then stand beside what they are for. */
export function OperatorSection({ hasToken }: { readonly hasToken: boolean }): Markup {
  const key = <code>REGISTRY_OPERATOR_TOKEN</code>;
  return (
    <Section id="operator" title="For the operator">
      {needsScript('To decide here needs JavaScript: the page sends your token to this node only.')}
      {!hasToken && <p class="hint">This node has no operator token: start it with one in {key}.</p>}
      <form id="sign-in" class="question" hidden>
        <label for="token">Your token</label>
        <p class="hint" id="token-hint">
          The operator token, from the environment variable {key}. It stays in the memory of this page, until
          you close it or load it again.
        </p>
        <div>
          <input id="token" type="password" required autocomplete="off" aria-describedby="token-hint" />
          <button type="submit">Sign in</button>
        </div>
        <p id="sign-in-fault" class="fault" role="alert" />
      </form>
      <p id="desk" class="desk hint" role="status" tabindex={-1} />
    </Section>
  );
}
