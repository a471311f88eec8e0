import { html } from 'hono/html';
import type { Metadata } from '../component/metadata.js';
import type { Markup } from './page.js';

/** "How do I use this": a page that shows data with the component, and the question that finds it. */
export function usage(component: Metadata, baseUrl: string): Markup {
  return html`<section aria-labelledby="use"><h2 id="use">Use it</h2>
${code('In any web page:', hostSnippet(component, baseUrl))}
${code('The question that finds it:', `curl '${questionFor(component, baseUrl)}'`)}</section>`;
}

function code(title: string, text: string): Markup {
  // What scrolls must be reachable with the keyboard.
  return html`<div class="code"><p>${title}</p><pre tabindex="0" role="region" aria-label="${title}"><code>${text}</code></pre></div>`;
}

/** The text of a host page's script. It is text for a page, so nothing in it may end the script early. */
export function hostSnippet({ uri, tag }: Metadata, baseUrl: string): string {
  return `<script type="module">
  import { loadComponent, serveData, solidData } from ${scriptText(`${baseUrl}/host.js`)};

  serveData(document, solidData());
  const name = await loadComponent({
    uri: ${scriptText(uri)},
    tag: [${tag.map(scriptText).join(', ')}],
  });
  const element = document.createElement(name);
  element.setAttribute('entry', 'https://pod.example/your/data');
  document.body.append(element);
</script>`;
}

function questionFor({ uri, shapes: [shape] }: Metadata, baseUrl: string): string {
  const parameters = new URLSearchParams(shape === undefined ? { uri } : { shapes: shape, latest: 'true' });
  return `${baseUrl}/component?${String(parameters).replaceAll("'", '%27')}`;
}

/** A text in single quotes, as the rest of the script has them. */
function scriptText(value: string): string {
  const escaped = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"');
  return `'${escaped.replaceAll("'", "\\'").replaceAll('<', '\\u003c')}'`;
}
