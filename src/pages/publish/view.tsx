import { shapeName } from '../../component/shape-names.js';
import { rootPath } from '../../http/paths.js';
import { counted } from '../../lib/counted.js';
import { PASTED } from '../../lib/pasted-url.js';
import { type Finding, type LintReport, worstFirst } from '../../publish/finding.js';
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
  const without = (
    <>
      To publish from this page needs JavaScript. Without it, the command line does the same:{' '}
      <a href={`${root}/docs/authors`}>publish</a>.
    </>
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
        <About root={root} shapes={shapes} />
        <Place />
        <section aria-labelledby="sending">
          <h2 id="sending">3. Publish</h2>
          <p class="actions">
            <button id="write" type="button" disabled>
              Write it into my pod
            </button>{' '}
            <button id="check" class="second" type="button">
              It is there: look at it
            </button>
          </p>
          <p role="status" id="written" />
          <ul class="findings" id="proof" aria-live="polite" />
        </section>
        <section aria-labelledby="receipt">
          <h2 id="receipt">4. Who lists it</h2>
          <p role="status" id="listing">
            Nobody has been asked yet.
          </p>
          <ul class="rows" id="nodes">
            {nodes.map((url) => (
              <li data-node={url}>
                <strong>{url === node.baseUrl ? 'This node' : hostOf(url)}</strong> <span class="said" />
              </li>
            ))}
          </ul>
        </section>
      </div>
      <section aria-labelledby="checking">
        <h2 id="checking">Check what you have written</h2>
        <CheckForms root={root} />
      </section>
    </>
  );
  const scripts = ['shell.js', 'publish.js'];
  return renderPage({ node, part: 'publish', title: 'Publish a component', main, scripts });
}

function About({ root, shapes }: { root: string; shapes: readonly string[] }) {
  return (
    <section aria-labelledby="about">
      <h2 id="about">1. What it is</h2>
      <div id="drop" class="drop">
        <label for="files">
          From its manifest: choose or drop <code>package.json</code>, with <code>custom-elements.json</code>{' '}
          and <code>component.json</code> where there are any
        </label>
        <input id="files" type="file" accept=".json,application/json" multiple />
        <details>
          <summary>Or paste one</summary>
          <label for="pasted">Text of the manifest</label>
          <textarea id="pasted" rows={4} />
        </details>
        <p role="status" id="manifest" />
      </div>
      <div class="describing">
        <form id="description" autocomplete="off">
          <Field
            name="uri"
            label="URL of its module"
            type="url"
            hint="Browsers import it from there."
            required
          />
          <Field name="label" label="Name" required />
          <Field name="description" label="What it shows, in a sentence" />
          <Field
            name="version"
            label="Version"
            hint="Three numbers, as in 1.0.0: a new one with each change of the module."
          />
          <div class="field">
            <label>
              <input type="checkbox" name="latest" checked /> This is its latest version
            </label>
          </div>
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
          <Field
            name="example"
            label="URL of example data"
            type="url"
            hint="Pages of nodes show your component with it: everyone, on every website, must be able to read it."
          />
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
          <Field
            name="integrity"
            label="Hash of the module"
            hint="Your browser computes it from the URL above. Hosts run nothing else."
          />
          <p role="status" class="hint" id="hashed" />
        </form>
        <div>
          <h3>What to correct</h3>
          <ul class="findings" id="findings" aria-live="polite" />
          <details open>
            <summary>The document, as Turtle</summary>
            <div class="code">
              <p>It grows while you fill in the form.</p>
              {/* biome-ignore lint/a11y/useSemanticElements: the element that scrolls has to be reached by the keyboard */}
              <pre tabindex={0} role="region" aria-label="The document as Turtle">
                <code id="turtle" />
              </pre>
            </div>
          </details>
        </div>
      </div>
    </section>
  );
}

function Place() {
  return (
    <section aria-labelledby="where">
      <h2 id="where">2. Where it goes</h2>
      <form id="signing" class="question">
        <label for="issuer">Your WebID, or the address of your pod's provider</label>
        <div>
          <UrlInput id="issuer" name="issuer" />
          <button type="submit">Sign in</button>
        </div>
        <p role="status" id="signed" />
      </form>
      <div class="field">
        <label for="address">URL of the document</label>
        <input
          {...{ id: 'address', type: 'url', 'aria-describedby': 'address-hint' }}
          placeholder="https://…/components/my-card.ttl"
        />
        <p class="hint" id="address-hint">
          Without a pod: save the document, put it on any web server as text/turtle, and name its URL here.{' '}
          <a id="save" download="component.ttl" href="#turtle">
            Save it
          </a>
        </p>
      </div>
    </section>
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

function Field({ name, label, hint, type = 'text', required = false, placeholder = '' }: TextField) {
  const described = hint && { 'aria-describedby': `h-${name}` };
  return (
    <div class="field">
      <label for={`f-${name}`}>
        {label}
        {required ? '' : <small> optional</small>}
      </label>
      <input {...{ id: `f-${name}`, name, type, placeholder, required }} {...described} />
      {hint && (
        <p class="hint" id={`h-${name}`}>
          {hint}
        </p>
      )}
    </div>
  );
}

function UrlInput(given: { id: string; name: string; value?: string; required?: boolean }) {
  const hints = { placeholder: 'https://…', autocomplete: 'url' };
  return <input type="url" required {...hints} {...given} />;
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
      {refusal && (
        <p class="alert" role="alert">
          {refusal}
        </p>
      )}
      {report && <Result {...report} baseUrl={node.baseUrl} />}
      <section aria-labelledby="checking">
        <h2 id="checking">Check another</h2>
        <CheckForms root={root} asked={asked} />
      </section>
      <p>
        <a href={`${root}/publish`}>Describe and publish a component</a>
      </p>
    </>
  );
  return renderPage({ node, part: 'publish', title: 'Check a description', main });
}

/** Forms by which authors have descriptions and their modules checked, before they publish them or after. */
function CheckForms({ root, asked }: { root: string; asked?: Linted }) {
  const pasted = asked && 'text' in asked ? asked : undefined;
  const url = asked && !pasted ? asked.url : '';
  return (
    <>
      <p>
        This node reads a document as it would read a pod, looks at the modules that it names, and says what
        to correct. Nothing is stored, and no module is run.
      </p>
      <form class="question" action={`${root}/publish`} method="post">
        <label for="checked">URL of the description</label>
        <div>
          <UrlInput id="checked" name="url" value={url} />
          <button type="submit">Check</button>
        </div>
      </form>
      <form class="question" action={`${root}/publish`} method="post">
        <details open={pasted !== undefined}>
          <summary>Or paste it</summary>
          <p class="hint" id="document-hint">
            The text is sent to this node, which forgets it after the check.
          </p>
          <label for="document">The document</label>
          <textarea
            {...{ id: 'document', name: 'text', rows: 10, required: true, maxlength: MOST_PASTED }}
            aria-describedby="document-hint"
          >
            {pasted?.text ?? ''}
          </textarea>
          <label for="goes-to">Where it will be published, if it has relative addresses (optional)</label>
          <div>
            <UrlInput id="goes-to" name="url" value={pasted?.url ?? ''} required={false} />
            <button type="submit">Check</button>
          </div>
        </details>
      </form>
      <form class="question" action={`${root}/why`} method="get">
        <label for="known">Published already? What this node has made of it, and when</label>
        <div>
          <UrlInput id="known" name="document" />
          <button type="submit">Show</button>
        </div>
      </form>
      <p class="hint">
        On your own machine, in a clone of the node: <code>node dist/main.js lint &lt;url or file&gt;</code>.
      </p>
    </>
  );
}

function Result({ document, findings, components, baseUrl }: LintReport & { baseUrl: string }) {
  const all = [...findings, ...components.flatMap((component) => component.findings)];
  const errors = all.filter(({ level }) => level === 'error').length;
  const advised = all.filter(({ level }) => level === 'advice').length;
  return (
    <section aria-labelledby="result">
      <h2 id="result">
        {errors === 0 ? 'Nothing stands in the way' : `${counted(errors, 'thing')} to correct`}
        {advised > 0 && <small> and {counted(advised, 'piece')} of advice</small>}
      </h2>
      <p class="quiet">
        {document === PASTED ? 'What was pasted' : document} {document !== PASTED && why(baseUrl, document)}
      </p>
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
    </section>
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
