import { html } from 'hono/html';
import { rootPath } from '../../http/paths.js';
import { separated } from '../shell/fragments.js';
import type { Markup } from '../shell/page.js';
import type { NodeView } from '../shell/view.js';

/** The second question: which component renders the data at this URL? */
export function dataForm(node: NodeView, label: string, url = ''): Markup {
  const { baseUrl } = node;
  return html`<form class="question" action="${rootPath(baseUrl)}/data" method="get">
<label for="url">${label}</label>
<div><input id="url" name="url" type="url" required value="${url}" aria-describedby="url-hint" placeholder="https://…" autocomplete="url" spellcheck="false">
<button>What renders it?</button></div>
<p class="hint" id="url-hint">The URL of a profile, a list, a recipe … Your browser reads it, this node does not.${url === '' ? examples(node) : ''}</p>
</form>`;
}

/** Where the node lists samples, data to ask the question about with one click. */
function examples({ baseUrl, sampleData: data = [] }: NodeView): Markup {
  if (data.length === 0) return html``;
  const link = (url: string) => {
    const name = new URL(url).pathname.split('/').at(-1);
    return html`<a href="${rootPath(baseUrl)}/data?${new URLSearchParams({ url })}">${name}</a>`;
  };
  return html` Or try a sample: ${separated(data.map(link))}.`;
}
