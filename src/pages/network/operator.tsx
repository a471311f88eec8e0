import { Question } from '../shell/forms.js';
import { needsScript, Section } from '../shell/fragments.js';

interface DeedProps {
  readonly words: string;
  /** What it is done to, which the name of the button has, too. */
  readonly about: string;
  readonly method?: 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

/** A button of the operator: the script of the page sends what it names, with the token. */
export function deed({ words, about, method = 'POST', path, body }: DeedProps) {
  const name = { 'aria-label': `${words}: ${about}` };
  const sent = { 'data-method': method, 'data-path': path, 'data-body': body && JSON.stringify(body) };
  return <button {...{ type: 'button', class: 'second', ...name, ...sent }}>{words}</button>;
}

/** Where the operator signs in. The buttons then stand beside what they are for. */
export function OperatorSection({ hasToken }: { readonly hasToken: boolean }) {
  const key = <code>REGISTRY_OPERATOR_TOKEN</code>;
  const hint = (
    <>
      The operator token, from the environment variable {key}. It stays in the memory of this page, until you
      close it or load it again.
    </>
  );
  // Without a name: a form that is sent before its script runs must not put the token into an address.
  const about = { form: { id: 'sign-in', hidden: true }, id: 'token', input: { name: undefined }, hint };
  return (
    <Section id="operator" title="For the operator">
      {needsScript('To decide here needs JavaScript: the page sends your token to this node only.')}
      {!hasToken && <p class="hint">This node has no operator token: start it with one in {key}.</p>}
      <Question {...about} name="token" type="password" label="Your token" button="Sign in">
        <p id="sign-in-fault" class="fault" role="alert" />
      </Question>
      <p id="desk" class="desk hint" role="status" tabindex={-1} />
    </Section>
  );
}
