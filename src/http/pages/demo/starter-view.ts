import { html } from 'hono/html';
import { type ShownStarter, STARTER_PATH, type StarterFile } from '../../../demo/starter.js';
import { hostOf, type Markup, renderPage } from '../../../web/page.js';
import { starterOffer } from '../../../web/samples.js';
import { type NodeView, rootPath } from '../../../web/view.js';

export interface StarterView {
  readonly node: NodeView;
  /** Can the set be shown? */
  readonly isBuilt: boolean;
  /** Undefined while it is not shown. */
  readonly files: ShownStarter['files'] | undefined;
}

/** The page at `/starter`: what is in the starter set, from whom, and under which licences. */
export function starterPage({ node, isBuilt, files }: StarterView): string {
  const main = files ? contents(node, files) : offer(node, isBuilt);
  return renderPage({ node, part: 'components', title: `Starter set – ${hostOf(node.baseUrl)}`, main });
}

function offer(node: NodeView, isBuilt: boolean): Markup {
  return html`<h1>Starter set</h1>
<p class="lead">Real components to begin with: viewers and editors for what people keep in their pods, and applications to open it with.</p>
${isBuilt ? starterOffer(node) : html`<p>It has not been built here: start the node with <code>--starter</code> (in a clone: <code>npm start -- --starter</code>), which builds it the first time.</p>`}`;
}

function contents(node: NodeView, files: ShownStarter['files']): Markup {
  const root = rootPath(node.baseUrl);
  const modules = [...files].filter(([, { packages }]) => packages);
  const shapes = [...files.keys()].filter((path) => path.startsWith('shapes/'));
  return html`<h1>Starter set</h1>
<p class="lead">This node lists real components to begin with, and serves their modules itself: nothing is loaded from elsewhere.
<a href="${root}/?tag=starter">See them</a></p>
<h2>Modules</h2>
<div class="wide"><table><thead><tr><th scope="col">Module</th><th scope="col">Built from</th><th scope="col">Size</th><th scope="col">Hash</th></tr></thead>
<tbody>${modules.map((module) => row(root, module))}</tbody></table></div>
<h2>Shapes</h2>
<ul>${shapes.map((path) => html`<li><a href="${root}${STARTER_PATH}/${path}">${path.slice('shapes/'.length)}</a></li>`)}</ul>`;
}

function row(root: string, [path, { packages = [], bytes, integrity }]: [string, StarterFile]): Markup {
  const texts = `${root}${STARTER_PATH}/${path.replace(/\.js$/, '.licences.txt')}`;
  const [first, ...others] = packages.map(({ name, version, licence }) => `${name} ${version} (${licence})`);
  const from =
    first === undefined
      ? 'this software'
      : `${first}${others.length > 0 ? ` and ${others.length} more` : ''}`;
  return html`<tr><td><a href="${root}${STARTER_PATH}/${path}">${path}</a></td><td>${from}, <a href="${texts}">licences</a></td>
<td>${Math.ceil(bytes / 1000)} kB</td><td><code>${integrity}</code></td></tr>`;
}
