import type { Child } from 'hono/jsx';
import { shapeName } from '../../component/shape-names.js';
import { rootPath } from '../../http/paths.js';
import { counted } from '../../lib/counted.js';
import { PASTED } from '../../lib/pasted-url.js';
import { type Finding, isError, LEVELS, type LintReport, worstFirst } from '../../publish/finding.js';
import type { Linted } from '../../publish/lint.js';
import { link, needsScript, Section, why } from '../shell/fragments.js';
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
  const command = link(`${root}/docs/authors`, 'publish');
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
          <ul class="rows" id="mine-rows" />
        </section>
        <Section id="about" title="1. What it is">
          <div class="describing">
            <Description root={root} shapes={shapes} />
            <Draft />
          </div>
        </Section>
        <Section id="where" title="2. Where it goes">
          <Place />
        </Section>
        <Section id="sending" title="3. Publish">
          <p class="actions">
            <button type="button" id="write" disabled>
              Write it into my pod
            </button>{' '}
            <button type="button" id="check" class="second">
              It is there: look at it
            </button>
          </p>
          <p id="written" role="status" />
          <ul class="findings" id="proof" aria-live="polite" />
        </Section>
        <Section id="receipt" title="4. Who lists it">
          <p id="listing" role="status">
            Nobody has been asked yet.
          </p>
          <ul class="rows" id="nodes">
            {nodes.map((url) => (
              <li data-node={url}>
                <strong>{url === node.baseUrl ? 'This node' : hostOf(url)}</strong> <span class="said" />
              </li>
            ))}
          </ul>
        </Section>
      </div>
      <Section id="checking" title="Check what you have written">
        <CheckForm root={root} />
      </Section>
    </>
  );
  const scripts = ['shell.js', 'publish.js'];
  return renderPage({ node, part: 'publish', title: 'Publish a component', main, scripts });
}

const HINTS = {
  version: 'As in 1.0.0: a new one for each change.',
  author: 'Names or WebIDs, with commas between them.',
  tag: 'With commas between them; the first one names its element.',
  shapes: 'Classes or shapes: IRIs, or names such as foaf:Person, with spaces between them.',
  example: 'Pages of nodes show your component with it: everyone must be able to read it.',
  integrity: 'Your browser computes it from the URL above. Hosts run nothing else.',
};

function Description({ root, shapes }: { root: string; shapes: readonly string[] }) {
  return (
    <form id="description" autocomplete="off">
      <Field name="uri" label="URL of its module" type="url" hint="Browsers import it." required />
      <Field name="label" label="Name" required />
      <Field name="description" label="What it shows, in a sentence" />
      <Field name="version" label="Version" hint={HINTS.version} />
      <label class="field">
        <span>
          <input type="checkbox" name="latest" checked /> This is its latest version
        </span>
      </label>
      <Field name="author" label="Authors" hint={HINTS.author} />
      <Field name="tag" label="Tags" hint={HINTS.tag} />
      <Field name="shapes" label="What data it renders" hint={HINTS.shapes} list="known-shapes" />
      <datalist id="known-shapes">
        {shapes.map((iri) => (
          <option value={iri}>{shapeName(iri)}</option>
        ))}
      </datalist>
      <Field name="example" label="URL of example data" type="url" hint={HINTS.example} />
      <details>
        <summary>How it gets its data</summary>
        <p class="hint">
          Leave it empty for elements that ask by {link(`${root}/docs/authors#the-module`, 'events')}.{' '}
          <span id="capability" hidden>
            What it says already about this is kept, unless you fill in these fields.
          </span>
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
      </details>
      <Field name="integrity" label="Hash of the module" hint={HINTS.integrity} />
      <p id="hashed" role="status" />
    </form>
  );
}

/** What becomes of the description, beside it. */
function Draft() {
  return (
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
  );
}

function Place() {
  return (
    <>
      <form id="signing" class="question">
        <label for="issuer">Your WebID, or the address of your pod's provider</label>
        <div>
          <input id="issuer" type="url" required placeholder="https://…" autocomplete="url" />
          <button type="submit">Sign in</button>
        </div>
        <p id="signed" role="status" />
      </form>
      <div class="field">
        <label for="address">URL of the document</label>
        <input
          {...{ id: 'address', type: 'url', 'aria-describedby': 'address-hint' }}
          placeholder="https://…/components/my-card.ttl"
        />
        <p class="hint" id="address-hint">
          Without a pod: put the Turtle on any web server as text/turtle, and name its URL here.
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
  readonly list?: string;
}

function Field({ name, label, hint, type = 'text', required = false, ...given }: TextField) {
  const described = hint && { 'aria-describedby': `h-${name}` };
  return (
    <div class="field">
      <label for={`f-${name}`}>
        {label}
        {!required && <small> optional</small>}
      </label>
      <input {...{ id: `f-${name}`, name, type, required, ...given, ...described }} />
      {hint && (
        <p class="hint" id={`h-${name}`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** Characters of a text that is pasted. */
export const MOST_PASTED = 300_000;

interface CheckPage {
  readonly node: NodeView;
  /** What the visitor entered. */
  readonly asked: Linted;
  readonly report: LintReport;
}

/** What a check has found, with the form for the next one. */
export function checkPage({ node, asked, report }: CheckPage): string {
  const root = rootPath(node.baseUrl);
  const main = (
    <>
      <h1>Check a description</h1>
      <Result {...report} baseUrl={node.baseUrl} />
      <Section id="checking" title="Check another">
        <CheckForm root={root} asked={asked} />
      </Section>
      {link(`${root}/publish`, 'Describe and publish a component')}
    </>
  );
  return renderPage({ node, part: 'publish', title: 'Check a description', main });
}

/** The form by which authors have descriptions and their modules checked, before they publish them or after. */
function CheckForm({ root, asked }: { root: string; asked?: Linted }) {
  const text = asked && 'text' in asked ? asked.text : undefined;
  return (
    <>
      <p>
        This node reads a document as it would read a pod, looks at the modules that it names, and says what
        to correct. Nothing is stored, and no module is run. Published already?{' '}
        {link(`${root}/why`, 'What this node has made of it')}.
      </p>
      <form class="question" action={`${root}/publish`} method="post">
        <label for="checked">URL of the description</label>
        <div>
          <input
            {...{ id: 'checked', name: 'url', type: 'url', value: asked?.url ?? '' }}
            {...{ placeholder: 'https://…', autocomplete: 'url' }}
          />
          <button type="submit">Check</button>
        </div>
        <details open={text !== undefined}>
          <summary>Or paste it</summary>
          <label for="document">
            The document; the URL above is where it will be, if it has relative addresses
          </label>
          <textarea
            {...{ id: 'document', name: 'text', rows: 10, maxlength: MOST_PASTED, spellcheck: false }}
          >
            {text ?? ''}
          </textarea>
        </details>
      </form>
    </>
  );
}

function Result({ document, findings, components, baseUrl }: LintReport & { baseUrl: string }) {
  const all = [...findings, ...components.flatMap((component) => component.findings)];
  const errors = all.filter(isError).length;
  const advised = all.filter(({ level }) => level === 'advice').length;
  const result = errors === 0 ? 'Nothing stands in the way' : `${counted(errors, 'thing')} to correct`;
  const about: Child = document === PASTED ? 'What was pasted' : [document, ' ', why(baseUrl, document)];
  return (
    <Section id="result" title={advised > 0 ? `${result}, ${counted(advised, 'piece')} of advice` : result}>
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
    </Section>
  );
}

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
