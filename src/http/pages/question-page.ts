import { html } from 'hono/html';
import { Problem } from '../../lib/http/problem.js';
import { isWebAddress } from '../../web/fragments.js';
import { renderPage } from '../../web/page.js';
import { type NodeView, rootPath } from '../../web/view.js';

/** What a page needs to know before it can show anything. */
interface Question {
  /** The path of the page, which gets the answers as parameters. */
  readonly path: string;
  readonly title: string;
  readonly explanation: string;
  readonly button: string;
  /** A URL each. */
  readonly fields: readonly { readonly name: string; readonly label: string }[];
}

/** A page that is opened without its parameters asks for them. */
export function questionPage(node: NodeView, { path, title, explanation, button, fields }: Question): string {
  const inputs = fields.map(
    ({ name, label }, i) =>
      html`<label for="field-${i}">${label}</label>
<div><input id="field-${i}" name="${name}" type="url" required placeholder="https://…" spellcheck="false" autocomplete="off"></div>
`,
  );
  const main = html`<h1>${title}</h1>
<p>${explanation}</p>
<form class="question" action="${rootPath(node.baseUrl)}${path}" method="get">${inputs}<p><button>${button}</button></p></form>`;
  return renderPage({ node, part: 'components', title, main });
}

/** The URL in a parameter, `''` when there is none. @throws Problem 422 when it is no absolute http or https URL */
export function readWebAddress(parameters: URLSearchParams, name: string): string {
  const url = parameters.get(name)?.trim() ?? '';
  if (url === '' || isWebAddress(url)) return url;
  throw new Problem(422, `${name} must be an absolute http or https URL`);
}
