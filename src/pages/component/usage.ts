import { html } from 'hono/html';
import type { Description } from '../../catalog/description.js';
import type { Metadata } from '../../component/metadata.js';
import { type SourceTrust, STARTER } from '../../component/source.js';
import { hostOf, type Markup } from '../shell/page.js';

/** What stands for the visitor's data where it is not known. */
const YOUR_DATA = 'https://pod.example/your/data';

/**
 * How to use a component: one line, the script of a page that shows data with it, and a request that finds it.
 * `entry`: the URL of the visitor's data.
 */
export function usage(served: Description, baseUrl: string, entry = YOUR_DATA): Markup {
  const { metadata, pin } = served;
  const { uri } = metadata;
  const integrity = metadata.integrity ?? pin?.integrity;
  const digest = `curl -s ${shellText(uri)} | openssl dgst -sha384 -binary | openssl base64 -A`;
  return html`<section aria-labelledby="use"><h2 id="use">Use it</h2>
<p>This component is ${answering(served, baseUrl)}.</p>
${code('In one line:', embedLine(served, integrity, { baseUrl, entry }))}
${code('In any web page:', hostSnippet(served, integrity, { baseUrl, entry }), integrity === undefined ? html` data-integrity-of="${uri}"` : '')}
${integrity === undefined ? unpinned(digest, served.trust) : pinned(digest)}
${code('The question that finds it:', `curl ${shellText(questionFor(metadata, baseUrl))}`)}</section>`;
}

function pinned(digest: string): Markup {
  return html`<p class="hint">A component runs with all rights of your page. Nothing but the pinned bytes is run: <code>showComponent</code> checks them, and the import map has the browser check every import.</p>
${code('The digest of what is there now:', digest)}`;
}

function unpinned(digest: string, trust: SourceTrust): Markup {
  if (trust === 'learned') {
    return html`<p class="hint">A component runs with all rights of your page, and nobody here answers for this one. So the script runs nothing until
the digest of the bytes that you have looked at stands in place of <code>…</code>.</p>
${code('The digest of its bytes:', digest)}`;
  }
  return html`<p class="hint">A component runs with all rights of your page. With <code>integrity: 'sha384-…'</code> beside <code>into</code>, the
digest of its bytes, nothing else runs in its place.</p>
${code('The digest of its bytes:', digest)}`;
}

/** Something to copy, with a line that says what it is. */
export function code(title: string, text: string, more: Markup | '' = ''): Markup {
  // A box that scrolls needs a tabindex, so that the keyboard can scroll it.
  return html`<div class="code"${more}><p>${title}</p><pre tabindex="0" role="region" aria-label="${title}"><code>${text}</code></pre></div>`;
}

/** The script of a host page. Values are escaped, so that none of them can end the script. */
function hostSnippet(served: Description, integrity: string | undefined, { baseUrl, entry }: Use): string {
  const { uri, tag, capability } = served.metadata;
  const isOpen = integrity === undefined && served.trust === 'learned';
  return `${integrity === undefined ? '' : importMap(uri, integrity)}<script type="module">
  import { showComponent } from ${scriptText(`${baseUrl}/host.js`)};

  // This component is ${answering(served, baseUrl)}.
  const component = {
    uri: ${scriptText(uri)},
    tag: [${tag.map(scriptText).join(', ')}],${capability ? `\n    capability: ${scriptJson(capability)},` : ''}${integrity === undefined ? '' : `\n    integrity: ${scriptText(integrity)},`}
  };
  const into = document.body.appendChild(document.createElement('div'));
  showComponent(component, ${scriptText(entry)}, { into${isOpen ? ", integrity: '…'" : ''} }).catch((error) => { console.error(error); into.append(error.userMessage); });
</script>`;
}

interface Use {
  readonly baseUrl: string;
  readonly entry: string;
}

/** `embed.js` shows the data where the line stands. */
function embedLine(
  { metadata, trust }: Description,
  integrity: string | undefined,
  { baseUrl, entry }: Use,
): string {
  const pin = integrity ?? (trust === 'learned' ? '…' : undefined);
  const pinned = pin === undefined ? '' : html` data-integrity="${pin}"`;
  return String(
    html`<script type="module" src="${baseUrl}/embed.js" data-entry="${entry}" data-component="${metadata.uri}"${pinned}></script>`,
  );
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

/** Has the browser check the module wherever the page imports it (HTML, section 8.1.6.7). */
function importMap(uri: string, integrity: string): string {
  return `<script type="importmap">${scriptJson({ integrity: { [uri]: integrity } })}</script>\n`;
}

/** JSON that cannot end the script it stands in. */
function scriptJson(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

/** Asks for the latest version only where this one is. */
function questionFor({ uri, shapes: [shape], latest }: Metadata, baseUrl: string): string {
  const parameters = new URLSearchParams(shape === undefined ? { uri } : { shapes: shape });
  if (shape !== undefined && latest) parameters.set('latest', 'true');
  return `${baseUrl}/component?${String(parameters)}`;
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
