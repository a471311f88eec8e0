import type { Child } from 'hono/jsx';
import type { Metadata } from '../../component/metadata.js';
import { shapeName } from '../../component/shape-names.js';
import { counted } from '../../lib/counted.js';
import { isError, type LintReport, PASTED } from '../../publish/finding.js';
import { FORM_NAMES } from '../../publish/form-names.js';
import type { Linted } from '../../publish/lint.js';
import { shortName } from '../shell/component-words.js';
import { Field, Question } from '../shell/forms.js';
import { code, hostOf, link, needsScript, Section, why } from '../shell/fragments.js';
import { type NodeView, renderPage } from '../shell/page.js';
import { FindingList } from './finding-list.js';

interface PublishView {
  readonly node: NodeView;
  /** IRIs of shapes that are offered, the most frequent first. */
  readonly shapes: readonly string[];
  /** Base URLs of the nodes that are asked whether they list it, this one first. */
  readonly nodes: readonly string[];
  /** The component that the visitor wants to edit or withdraw. */
  readonly edited: Pick<Metadata, 'uri' | 'label' | 'version'> | undefined;
}

/** The page at `/publish`. Its script publishes: the visitor's browser writes into the visitor's pod. This node checks. */
export function publishPage({ node, shapes, nodes, edited }: PublishView): string {
  const { root } = node;
  const command = link(`${root}/docs/authors`, 'publish');
  const main = (
    <>
      <h1>Publish a component</h1>
      {needsScript(
        <>
          To publish from this page needs JavaScript. Without it, the command line does the same: {command}.
        </>,
      )}
      {edited && (
        <p class="alert" id="edited">
          To edit or withdraw{' '}
          <strong>
            <bdi>{shortName(edited.label)}</bdi> {shortName(edited.version ?? '')}
          </strong>{' '}
          (<code>{edited.uri}</code>), first {link('#where', 'sign in')} where its description is. It then
          stands under “Yours”, with a button for each.
        </p>
      )}
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
            {description(root, shapes)}
            <div>
              <h3>What to correct</h3>
              <ul class="findings" id="findings" aria-live="polite" />
              <h3>The document, as Turtle</h3>
              {code('It grows while you fill in the form.', '', 'turtle')}
            </div>
          </div>
        </Section>
        <Section id="where" title="2. Where it goes">
          <Question
            {...{ form: { id: 'signing' }, id: 'issuer', name: 'issuer', type: 'url', button: 'Sign in' }}
            label="Your WebID, or the address of your pod's provider"
          >
            <p id="signed" role="status" />
            {/* The session is in the memory of the page: loading the page again ends it. */}
            <a {...{ id: 'sign-out', href: `${root}/publish`, hidden: true }}>Sign out</a>
          </Question>
          <Field
            {...{ id: 'address', label: 'URL of the document in your pod, to be written' }}
            hint="Without a pod: put the Turtle on any web server as text/turtle, and name its URL here."
            input={{ type: 'url', placeholder: 'https://…/components/my-card.ttl' }}
          />
        </Section>
        <Section id="sending" title="3. Publish">
          <p class="actions">
            <button {...{ type: 'button', id: 'write', disabled: true }}>Write it into my pod</button>{' '}
            <button {...{ type: 'button', id: 'check', class: 'second' }}>It is there: look at it</button>
          </p>
          <p id="written" role="status" />
          <ul class="findings" id="proof" aria-live="polite" />
        </Section>
        <Section id="receipt" title="4. Who lists it">
          <p {...{ id: 'listing', role: 'status' }}>Nobody has been asked yet.</p>
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
        {checkForm(root)}
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

/** The form in which a component is described. */
function description(root: string, shapes: readonly string[]) {
  const field = (name: string, words: Child, { hint, ...input }: Record<string, string | boolean> = {}) => {
    const label = [words, !input.required && <small> optional</small>];
    return <Field {...{ id: `f-${name}`, label, hint, input: { name, type: 'text', ...input } }} />;
  };
  return (
    <form id="description" autocomplete="off">
      {field('uri', FORM_NAMES.uri, { type: 'url', required: true, hint: 'Browsers import it.' })}
      {field('label', FORM_NAMES.label, { required: true })}
      {field('description', FORM_NAMES.description)}
      {field('version', FORM_NAMES.version, { hint: HINTS.version })}
      <label class="field">
        <span>
          <input type="checkbox" name="latest" checked /> This is its latest version
        </span>
      </label>
      {field('author', FORM_NAMES.author, { hint: HINTS.author })}
      {field('tag', FORM_NAMES.tag, { hint: HINTS.tag })}
      {field('shapes', FORM_NAMES.shapes, { hint: HINTS.shapes, list: 'known-shapes' })}
      <datalist id="known-shapes">
        {shapes.map((iri) => (
          <option value={iri}>{shapeName(iri)}</option>
        ))}
      </datalist>
      {field('example', FORM_NAMES.example, { type: 'url', hint: HINTS.example })}
      <details>
        <summary>How it gets its data</summary>
        <p class="hint">
          Leave it empty for elements that ask by {link(`${root}/docs/authors#the-module`, 'events')}.{' '}
          <span id="capability" hidden>
            What it says already about this is kept, unless you fill in these fields.
          </span>
        </p>
        {field('element', FORM_NAMES.element, { placeholder: 'my-card' })}
        {field('attribute', FORM_NAMES.variable, { placeholder: 'src' })}
        <div class="field">
          <label for="meaning">The attribute takes</label>
          <select id="meaning" name="meaning">
            <option value="ac:open">the URL of the data</option>
            <option value="data">the data itself, as Turtle</option>
          </select>
        </div>
      </details>
      {field('integrity', FORM_NAMES.integrity, { hint: HINTS.integrity })}
      <p id="hashed" role="status" />
    </form>
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
  const { root } = node;
  const title = 'Check a description';
  const main = (
    <>
      <h1>{title}</h1>
      {result(report, node.baseUrl)}
      <Section id="checking" title="Check another">
        {checkForm(root, asked)}
      </Section>
      {link(`${root}/publish`, 'Describe and publish a component')}
    </>
  );
  return renderPage({ node, part: 'publish', title, main });
}

/** The form by which authors have descriptions and their modules checked, before they publish them or after. */
function checkForm(root: string, asked?: Linted) {
  const text = asked && 'text' in asked ? asked.text : undefined;
  const about = { form: { action: `${root}/publish`, method: 'post' }, input: { required: false } };
  const area = { id: 'document', name: 'text', rows: 10, maxlength: MOST_PASTED, spellcheck: false };
  return (
    <>
      <p>
        This node reads a document as it would read a pod, looks at the modules that it names, and says what
        to correct. Nothing is stored, and no module is run. Published already?{' '}
        {link(`${root}/why`, 'What this node has made of it')}.
      </p>
      <Question
        {...{ ...about, id: 'checked', name: 'url', type: 'url', value: asked?.url, button: 'Check' }}
        label="URL of a published document, to be checked"
      >
        <details open={text !== undefined}>
          <summary>Or paste it</summary>
          <label for="document">
            The document; the URL above is where it will be, if it has relative addresses
          </label>
          <textarea {...area}>{text ?? ''}</textarea>
        </details>
      </Question>
    </>
  );
}

function result({ document, findings, components }: LintReport, baseUrl: string) {
  const all = [...findings, ...components.flatMap((component) => component.findings)];
  const errors = all.filter(isError).length;
  const advised = all.filter(({ level }) => level === 'advice').length;
  const found = errors === 0 ? 'Nothing stands in the way' : `${counted(errors, 'thing')} to correct`;
  const about: Child = document === PASTED ? 'What was pasted' : [document, ' ', why(baseUrl, document)];
  return (
    <Section id="result" title={advised > 0 ? `${found}, ${counted(advised, 'piece')} of advice` : found}>
      <p class="quiet">{about}</p>
      <FindingList findings={findings} />
      {components.map(({ uri, label, findings: own }) => (
        <>
          <h3>{shortName(label ?? uri)}</h3>
          <p class="quiet">{[uri, ' ', why(baseUrl, uri)]}</p>
          <FindingList findings={own} />
        </>
      ))}
    </Section>
  );
}
