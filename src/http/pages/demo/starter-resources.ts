import { html } from 'hono/html';
import type { Config } from '../../../config.js';
import { type ShownStarter, STARTER_PATH, type Starter, type StarterFile } from '../../../demo/starter.js';
import { taggedAnswer } from '../../../lib/http/cacheable.js';
import { ANY_ORIGIN } from '../../../lib/http/headers/cors.js';
import { Problem } from '../../../lib/http/problem.js';
import type { Handler } from '../../../lib/http/resource.js';
import { type Markup, renderPage } from '../../../web/page.js';
import { starterOffer } from '../../../web/samples.js';
import { type NodeView, rootPath } from '../../../web/view.js';
import { isWritable } from '../../access/operator.js';
import type { OwnResource } from '../../own-resource.js';
import { type PageParts, pageAnswer } from '../../page-answer.js';
import { postSet, type SetFormParts } from './set-form.js';

export interface StarterResourcesParts extends PageParts, Pick<SetFormParts, 'audit'> {
  readonly starter: Starter;
  readonly config: SetFormParts['config'] & Pick<Config, 'mode'>;
}

/** The starter set: a page that says what is in it, its files, and a form that shows and removes it. */
export function starterResources({ starter, node, audit, config }: StarterResourcesParts): OwnResource[] {
  const form = { set: starter, field: 'starter', words: 'the starter set', path: STARTER_PATH };
  return [
    {
      path: STARTER_PATH,
      methods: {
        GET: async () => {
          const view = node();
          const files = starter.shown?.files;
          const main = files ? contents(view, files) : offer(view, await starter.isBuilt());
          return pageAnswer(renderPage({ node: view, part: 'components', title: 'Starter set', main }));
        },
        POST: isWritable(config) ? postSet({ ...form, audit, config }) : undefined,
      },
    },
    // Pages of others import the modules, and the sandboxed frame has an opaque origin.
    { path: `${STARTER_PATH}/*`, cors: ANY_ORIGIN, methods: { GET: getFile(starter) } },
  ];
}

/** `GET /starter/<path>`: a module, a shape, or the licences of a module. */
function getFile(starter: Starter): Handler {
  return async (c) => {
    const { shown } = starter;
    const path = c.req.path.slice(STARTER_PATH.length + 1);
    const file = shown?.files.get(path);
    if (!shown || !file) throw new Problem(404, `There is no such file; ${STARTER_PATH} lists them`);
    // A module must be the one whose hash the description promises, so browsers ask each time.
    const [etag, type] = [`"${file.integrity}"`, `${file.mediaType}; charset=utf-8`];
    return taggedAnswer(c, { etag, type, text: await shown.read(path) });
  };
}

function offer(node: NodeView, isBuilt: boolean): Markup {
  return html`<h1>Starter set</h1>
<p class="lead">Real components to begin with: viewers and editors for what people keep in their pods, and applications to open it with.</p>
${isBuilt ? starterOffer(node) : html`<p>It has not been built here: start the node with <code>--starter</code> (in a clone: <code>npm start -- --starter</code>), which builds it the first time.</p>`}`;
}

/** What is in the set, from whom, and under which licences. */
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
