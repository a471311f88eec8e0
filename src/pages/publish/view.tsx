import type { Child } from 'hono/jsx';
import { shapeName } from '../../component/shape-names.js';
import { rootPath } from '../../http/paths.js';
import { counted } from '../../lib/counted.js';
import { PASTED } from '../../lib/pasted-url.js';
import { type Finding, isError, type LintReport, worstFirst } from '../../publish/finding.js';
import type { Linted } from '../../publish/lint.js';
import { needsScript, why } from '../shell/fragments.js';
import { hostOf, renderPage } from '../shell/page.js';
import type { NodeView } from '../shell/view.js';

interface PublishView {
  readonly node: NodeView;
  /** IRIs of shapes that are offered, the most frequent first. */
  readonly shapes: readonly string[];
  /** Base URLs of the nodes that are asked whether they list it, this one first. */
  readonly nodes: readonly string[];
}

/** The page at `/publish`. Its script publishes: the visitor's browser writes into the visitor's pod. This node checks. */
export function publishPage({ node, shapes, nodes }: PublishView): string {
  const root = rootPath(node.baseUrl);
  const command = <a href={`${root}/docs/authors`}>publish</a>;
  const without = (
    <>To publish from this page needs JavaScript. Without it, the command line does the same: {command}.</>
  );
  const main = (
    <>
      <h1>Publish a component</h1>
      {needsScript(without)}
      <p class="lead">
        Describe it; your browser writes the description into your own pod, and nodes that read your pod list
        it. You sign in at your pod; this node never sees your password or your session.
      </p>
      <div id="publish" data-client={`${node.baseUrl}/publish/client`} spellcheck={false} hidden>
        <section aria-labelledby="mine-title" id="mine" hidden>
          <h2 id="mine-title">Yours, as this node knows them</h2>
          <ul class="rows" />
        </section>
        <Part id="about" title="1. What it is">
          <Description root={root} shapes={shapes} />
        </Part>
        <Part id="where" title="2. Where it goes">
          <Place />
        </Part>
        <Part id="sending" title="3. Publish">
          <p class="actions">
            <Button id="write" words="Write it into my pod" disabled />{' '}
            <Button id="check" words="It is there: look at it" class="second" />
          </p>
          <Said id="written" />
          <ul class="findings" id="proof" aria-live="polite" />
        </Part>
        <Part id="receipt" title="4. Who lists it">
          <Said id="listing" words="Nobody has been asked yet." />
          <ul class="rows" id="nodes">
            {nodes.map((url) => (
              <li data-node={url}>
                <strong>{url === node.baseUrl ? 'This node' : hostOf(url)}</strong> <span class="said" />
              </li>
            ))}
          </ul>
        </Part>
      </div>
      <Part id="checking" title="Check what you have written">
        <CheckForms root={root} />
      </Part>
    </>
  );
  const scripts = ['shell.js', 'publish.js'];
  return renderPage({ node, part: 'publish', title: 'Publish a component', main, scripts });
}

function Part({ id, title, children }: { id: string; title: Child; children?: Child }) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** Where the script says what happens; screen readers read it out. */
function Said({ id, words }: { id: string; words?: string }) {
  return <p {...{ id, role: 'status' }}>{words}</p>;
}

function Button({ words, ...given }: { id: string; words: string; class?: string; disabled?: boolean }) {
  return <button {...{ type: 'button', ...given }}>{words}</button>;
}

function Description({ root, shapes }: { root: string; shapes: readonly string[] }) {
  return (
    <>
      <div class="field">
        <label for="files">
          From its manifest: choose <code>package.json</code>, with <code>custom-elements.json</code> and{' '}
          <code>component.json</code> where there are any
        </label>
        <input id="files" type="file" accept=".json,application/json" multiple />
        <Said id="manifest" />
      </div>
      <div class="describing">
        <form id="description" autocomplete="off">
          <Field name="uri" label="URL of its module" type="url" hint="Browsers import it." required />
          <Field name="label" label="Name" required />
          <Field name="description" label="What it shows, in a sentence" />
          <Field name="version" label="Version" hint="As in 1.0.0: a new one for each change." />
          <label class="field">
            <span>
              <input type="checkbox" name="latest" checked /> This is its latest version
            </span>
          </label>
          <Field name="author" label="Authors" hint="Names or WebIDs, with commas between them." />
          <Field name="tag" label="Tags" hint="With commas between them; the first one names its element." />
          <fieldset id="shapes">
            <legend>What data it renders</legend>
            <p class="hint">A class or shape: an IRI, or a name such as foaf:Person.</p>
          </fieldset>
          <datalist id="known-shapes">
            {shapes.map((iri) => (
              <option value={iri}>{shapeName(iri)}</option>
            ))}
          </datalist>
          <Field name="example" label="URL of example data" type="url" hint={EXAMPLE} />
          <details>
            <summary>How it gets its data</summary>
            <p class="hint">
              Leave it empty for elements that ask by <a href={`${root}/docs/authors#the-module`}>events</a>.
            </p>
            <Field name="element" label="Name of the element" placeholder="my-card" />
            <Field name="attribute" label="Its attribute" placeholder="src" />
            <div class="field">
              <label for="meaning">The attribute takes</label>
              <select id="meaning" name="meaning">
                <option value="ac:open">the URL of the data</option>
                <option value="data">the data itself, as Turtle</option>
              </select>
            </div>
            <p class="hint" id="capability" />
          </details>
          <Field name="integrity" label="Hash of the module" hint={HASH} />
          <Said id="hashed" />
        </form>
        <div>
          <h3>What to correct</h3>
          <ul class="findings" id="findings" aria-live="polite" />
          <h3>The document, as Turtle</h3>
          <div class="code">
            <p>It grows while you fill in the form.</p>
            <pre {...{ tabindex: 0, role: 'region', 'aria-label': 'The document as Turtle' }}>
              <code id="turtle" />
            </pre>
          </div>
        </div>
      </div>
    </>
  );
}

const EXAMPLE =
  'Pages of nodes show your component with it: everyone, on every website, must be able to read it.';
const HASH = 'Your browser computes it from the URL above. Hosts run nothing else.';

function Place() {
  return (
    <>
      <form id="signing" class="question">
        <Asked
          id="issuer"
          name="issuer"
          label="Your WebID, or the address of your pod's provider"
          button="Sign in"
        />
        <Said id="signed" />
      </form>
      <div class="field">
        <label for="address">URL of the document</label>
        <input
          id="address"
          type="url"
          placeholder="https://…/components/my-card.ttl"
          aria-describedby="save-hint"
        />
        <p class="hint" id="save-hint">
          Without a pod: save the document, put it on any web server as text/turtle, and name its URL here.{' '}
          <a {...{ id: 'save', download: 'component.ttl', href: '#turtle' }}>Save it</a>
        </p>
      </div>
    </>
  );
}

interface TextField {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly type?: 'text' | 'url';
  readonly required?: boolean;
  readonly placeholder?: string;
}

function Field({ name, label, hint, type = 'text', required = false, placeholder }: TextField) {
  const described = hint && { 'aria-describedby': `h-${name}` };
  return (
    <div class="field">
      <label for={`f-${name}`}>
        {label}
        {!required && <small> optional</small>}
      </label>
      <input {...{ id: `f-${name}`, name, type, placeholder, required, ...described }} />
      {hint && <p {...{ class: 'hint', id: `h-${name}` }}>{hint}</p>}
    </div>
  );
}

/** A field for an address, with the button that sends it. */
function Asked({
  label,
  button,
  ...given
}: Record<'id' | 'name' | 'label' | 'button', string> & { value?: string; required?: boolean }) {
  return (
    <>
      <label for={given.id}>{label}</label>
      <div>
        <input
          {...{ type: 'url', required: true, placeholder: 'https://…', autocomplete: 'url', ...given }}
        />
        <button type="submit">{button}</button>
      </div>
    </>
  );
}

/** Characters of a text that is pasted. */
export const MOST_PASTED = 300_000;

interface CheckPage {
  readonly node: NodeView;
  /** What the visitor entered. */
  readonly asked: Linted;
  readonly report?: LintReport;
  /** Why the check was refused. */
  readonly refusal?: string;
}

/** What a check has found, with the form for the next one. */
export function checkPage({ node, asked, report, refusal }: CheckPage): string {
  const root = rootPath(node.baseUrl);
  const main = (
    <>
      <h1>Check a description</h1>
      {refusal && <p {...{ class: 'alert', role: 'alert' }}>{refusal}</p>}
      {report && <Result {...report} baseUrl={node.baseUrl} />}
      <Part id="checking" title="Check another">
        <CheckForms root={root} asked={asked} />
      </Part>
      <a href={`${root}/publish`}>Describe and publish a component</a>
    </>
  );
  return renderPage({ node, part: 'publish', title: 'Check a description', main });
}

/** Forms by which authors have descriptions and their modules checked, before they publish them or after. */
function CheckForms({ root, asked }: { root: string; asked?: Linted }) {
  const pasted = asked && 'text' in asked ? asked : undefined;
  const url = asked && !pasted ? asked.url : '';
  const form = { class: 'question', action: `${root}/publish`, method: 'post' } as const;
  const text = {
    id: 'document',
    name: 'text',
    rows: 10,
    required: true,
    maxlength: MOST_PASTED,
    spellcheck: false,
  };
  const place = 'Where it will be published, if it has relative addresses (optional)';
  return (
    <>
      <p>
        This node reads a document as it would read a pod, looks at the modules that it names, and says what
        to correct. Nothing is stored, and no module is run.
      </p>
      <form {...form}>
        <Asked id="checked" name="url" label="URL of the description" button="Check" value={url} />
      </form>
      <form {...form}>
        <details open={pasted !== undefined}>
          <summary>Or paste it</summary>
          <p class="hint">The text is sent to this node, which forgets it after the check.</p>
          <label for="document">The document</label>
          <textarea {...text}>{pasted?.text ?? ''}</textarea>
          <Asked
            {...{ id: 'goes-to', name: 'url', label: place, button: 'Check' }}
            value={pasted?.url ?? ''}
            required={false}
          />
        </details>
      </form>
      <p class="hint">
        Published already? <a href={`${root}/why`}>What this node has made of it</a>. On your own machine, in
        a clone of the node: <code>node dist/main.js lint &lt;url or file&gt;</code>.
      </p>
    </>
  );
}

function Result({ document, findings, components, baseUrl }: LintReport & { baseUrl: string }) {
  const all = [...findings, ...components.flatMap((component) => component.findings)];
  const errors = all.filter(isError).length;
  const advised = all.filter(({ level }) => level === 'advice').length;
  const result = errors === 0 ? 'Nothing stands in the way' : `${counted(errors, 'thing')} to correct`;
  const advice = advised > 0 && <small> and {counted(advised, 'piece')} of advice</small>;
  const about = document === PASTED ? 'What was pasted' : [document, ' ', why(baseUrl, document)];
  return (
    <Part id="result" title={[result, advice]}>
      <p class="quiet">{about}</p>
      <FindingList findings={findings} />
      {components.map(({ uri, label, findings: own }) => (
        <>
          <h3>{label ?? uri}</h3>
          <p class="quiet">
            {uri} {why(baseUrl, uri)}
          </p>
          <FindingList findings={own} />
        </>
      ))}
    </Part>
  );
}

const LEVELS = { ok: 'OK', advice: 'Advice', error: 'Error' } as const;

/** Results of a check, each with what to do about it; what is wrong comes first. */
export function FindingList({ findings }: { findings: readonly Finding[] }) {
  return (
    <ul class="findings">
      {worstFirst(findings).map(({ level, what, fix }) => (
        <li class={level}>
          <strong>{LEVELS[level]}</strong> {what}
          {fix && <small>{fix}</small>}
        </li>
      ))}
    </ul>
  );
}
