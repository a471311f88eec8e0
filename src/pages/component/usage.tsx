import type { PropsWithChildren } from 'hono/jsx';
import type { Description } from '../../catalog/description.js';
import type { Metadata } from '../../component/metadata.js';
import { STARTER } from '../../component/source.js';
import { hostOf } from '../shell/page.js';

/** What stands for the visitor's data where it is not known. */
const YOUR_DATA = 'https://pod.example/your/data';

interface UsageProps {
  readonly served: Description;
  readonly baseUrl: string;
  /** URL of the visitor's data; `''` where it is not known. */
  readonly entry: string;
}

/** How to use a component: one line, the script of a page that shows data with it, and a request that finds it. */
export function Usage({ served, baseUrl, entry }: UsageProps) {
  const { metadata, pin, trust } = served;
  const { uri } = metadata;
  const integrity = metadata.integrity ?? pin?.integrity;
  const use = { served, integrity, baseUrl, entry: entry || YOUR_DATA };
  const digest = `curl -s ${shellText(uri)} | openssl dgst -sha384 -binary | openssl base64 -A`;
  return (
    <section aria-labelledby="use">
      <h2 id="use">Use it</h2>
      <p>This component is {answering(served, baseUrl)}.</p>
      <Code title="In one line:">{embedLine(use)}</Code>
      <Code title="In any web page:" integrityOf={integrity === undefined ? uri : undefined}>
        {hostSnippet(use)}
      </Code>
      <p class="hint">
        A component runs with all rights of your page
        {integrity === undefined && trust === 'learned' && ', and nobody here answers for this one'}.{' '}
        {integrity !== undefined ? (
          <>
            Nothing but the pinned bytes is run: <code>showComponent</code> checks them, and the import map
            has the browser check every import.
          </>
        ) : trust === 'learned' ? (
          <>
            So the script runs nothing until the digest of the bytes that you have looked at stands in place
            of <code>…</code>.
          </>
        ) : (
          <>
            With <code>integrity: 'sha384-…'</code> beside <code>into</code>, the digest of its bytes, nothing
            else runs in its place.
          </>
        )}
      </p>
      <Code title="The digest of what is there now:">{digest}</Code>
      <Code title="The question that finds it:">{`curl ${shellText(questionFor(metadata, baseUrl))}`}</Code>
    </section>
  );
}

interface CodeProps {
  readonly title: string;
  /** The module that a button pins in it. */
  readonly integrityOf?: string | undefined;
}

/** Something to copy, with a line that says what it is. */
function Code({ title, integrityOf, children }: PropsWithChildren<CodeProps>) {
  return (
    <div class="code" data-integrity-of={integrityOf}>
      <p>{title}</p>
      {/* biome-ignore lint/a11y/useSemanticElements: it is code, and scrolls: the keyboard reaches and names it. */}
      <pre tabindex={0} role="region" aria-label={title}>
        <code>{children}</code>
      </pre>
    </div>
  );
}

interface Use {
  readonly served: Description;
  readonly integrity: string | undefined;
  readonly baseUrl: string;
  readonly entry: string;
}

/** `embed.js` shows the data where the line stands. */
function embedLine({ served: { metadata, trust }, integrity, baseUrl, entry }: Use): string {
  const pin = integrity ?? (trust === 'learned' ? '…' : undefined);
  const line = (
    <script
      type="module"
      src={`${baseUrl}/embed.js`}
      data-entry={entry}
      data-component={metadata.uri}
      data-integrity={pin}
    />
  );
  return String(line);
}

/** The script of a host page. Values are escaped, so that none of them can end the script. */
function hostSnippet({ served, integrity, baseUrl, entry }: Use): string {
  const { uri, tag, capability } = served.metadata;
  // Has the browser check the module wherever the page imports it (HTML, section 8.1.6.7).
  const importMap = `<script type="importmap">${scriptJson({ integrity: { [uri]: integrity } })}</script>\n`;
  const isOpen = integrity === undefined && served.trust === 'learned';
  const members = [
    `uri: ${scriptText(uri)}`,
    `tag: [${tag.map(scriptText).join(', ')}]`,
    ...(capability ? [`capability: ${scriptJson(capability)}`] : []),
    ...(integrity === undefined ? [] : [`integrity: ${scriptText(integrity)}`]),
  ];
  return `${integrity === undefined ? '' : importMap}<script type="module">
  import { showComponent } from ${scriptText(`${baseUrl}/host.js`)};

  // This component is ${answering(served, baseUrl)}.
  const component = {
${members.map((member) => `    ${member},\n`).join('')}  };
  const into = document.body.appendChild(document.createElement('div'));
  showComponent(component, ${scriptText(entry)}, { into${isOpen ? ", integrity: '…'" : ''} }).catch((error) => { console.error(error); into.append(error.userMessage); });
</script>`;
}

/** Who answers for a component, to be read behind "This component is"; also in a script, so that no URL can end a line of it. */
function answering({ source, trust }: Description, baseUrl: string): string {
  const node = hostOf(baseUrl);
  if (source.kind === 'sample')
    return `${source.url === STARTER.url ? 'part of the starter set' : 'a sample'} that comes with this software`;
  if (trust === 'own') return `posted to ${node}, whose operator answers for it`;
  const by = `described by ${scriptText(source.url).replace(/[\u2028\u2029]/g, encodeURIComponent)}`;
  return trust === 'configured'
    ? `${by}, which the operator of ${node} has named`
    : `${by}, for which nobody at ${node} answers`;
}

/** Asks for the latest version only where this one is. */
function questionFor({ uri, shapes: [shape], latest }: Metadata, baseUrl: string): string {
  const parameters = new URLSearchParams(shape === undefined ? { uri } : { shapes: shape });
  if (shape !== undefined && latest) parameters.set('latest', 'true');
  return `${baseUrl}/component?${String(parameters)}`;
}

/** JSON that cannot end the script it stands in. */
function scriptJson(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

/** A URL in single quotes, for a shell. */
function shellText(url: string): string {
  return `'${url.replaceAll("'", '%27')}'`;
}

/** A text in single quotes, as the rest of the script has them. */
function scriptText(value: string): string {
  const escaped = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"');
  return `'${escaped.replaceAll("'", "\\'").replaceAll('<', '\\u003c')}'`;
}
