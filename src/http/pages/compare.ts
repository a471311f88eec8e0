import { html } from 'hono/html';
import { indexedValues } from '../../component/canonical-shape.js';
import type { Metadata } from '../../component/metadata.js';
import { shapeName } from '../../component/shape-names.js';
import { Problem } from '../../lib/http/problem.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler } from '../../lib/http/resource.js';
import type { Catalog } from '../../registry/catalog.js';
import type { Description } from '../../registry/description.js';
import { address, authorName, sourceName } from '../../web/fragments.js';
import { type Markup, renderPage } from '../../web/page.js';
import { originBadge } from '../../web/samples.js';
import { componentPath, type NodeView } from '../../web/view.js';
import { type PageParts, pageAnswer } from '../page-answer.js';
import { questionPage } from './question-page.js';

const QUESTION = {
  path: '/compare',
  title: 'Compare two components',
  explanation: 'Side by side: what they render, whose they are, and how they are used.',
  button: 'Compare',
  fields: [
    { name: 'uri', label: 'URL of the module of one' },
    { name: 'uri', label: 'and of the other' },
  ],
};

/** `GET /compare?uri=&uri=`: two to four components side by side. */
export function getComparison(parts: PageParts & { readonly catalog: Catalog }): Handler {
  return async ({ req }) => {
    const uris = [...new Set(parametersOf(req.url).getAll('uri'))];
    if (uris.length === 0 && req.header('accept')?.includes('text/html'))
      return pageAnswer(questionPage(parts.node(), QUESTION));
    if (uris.length < 2 || uris.length > COMPARED)
      throw new Problem(422, `uri must be given for two to ${COMPARED} different components`);
    const compared: Description[] = [];
    for (const uri of uris) {
      const [served] = await parts.catalog.statements(uri);
      if (!served) throw new Problem(404, `No component with the uri ${JSON.stringify(uri)} is known here`);
      compared.push(served);
    }
    return pageAnswer(comparePage(parts.node(), compared));
  };
}

/** Most components that stand side by side. */
export const COMPARED = 4;

/** One line of the comparison: a field with its values of each component. */
interface Row {
  readonly name: string;
  readonly values: (description: Description) => readonly string[];
  /** A value as people read it. */
  readonly text?: (value: string) => string | Markup;
}

const ofMetadata = (
  name: string,
  values: (metadata: Metadata) => readonly string[],
  text?: Row['text'],
): Row => ({
  name,
  values: ({ metadata }) => values(metadata),
  text,
});

const ROWS: readonly Row[] = [
  ofMetadata('Latest', ({ latest }) => (latest === undefined ? [] : [latest ? 'yes' : 'no'])),
  ofMetadata('Description', ({ description }) => (description ? [description] : [])),
  ofMetadata('Renders', (metadata) => indexedValues(metadata, 'shapes'), shapeName),
  ofMetadata('Tags', ({ tag }) => tag),
  ofMetadata('Author', ({ author }) => author, authorName),
  ofMetadata('Module', ({ uri }) => [uri], address),
  { name: 'Described by', values: ({ source }) => [sourceName(source)] },
];

/** The page at `/compare`: versions of a component, or any components, side by side. */
function comparePage(node: NodeView, compared: readonly Description[]): string {
  const title = `Compare ${[...new Set(compared.map(({ metadata }) => metadata.label))].join(' and ')}`;
  const head = (description: Description) => {
    const { uri, version, label } = description.metadata;
    return html`<th role="columnheader" scope="col"><a href="${componentPath(node.baseUrl, uri)}">${label} ${version ?? ''}</a>${originBadge(description)}</th>`;
  };
  const main = html`<h1>${title}</h1>
<p class="lead">What only some of them have is marked.</p>
<div class="scroll" tabindex="0" role="region" aria-label="${title}">
<table class="compare" role="table"><thead role="rowgroup"><tr role="row"><td role="cell"></td>${compared.map(head)}</tr></thead>
<tbody role="rowgroup">${ROWS.map((row) => tableRow(row, compared))}</tbody></table></div>`;
  return renderPage({ node, part: 'components', title, main });
}

function tableRow({ name, values, text = (value) => value }: Row, compared: readonly Description[]): Markup {
  const all = compared.map((description) => [...new Set(values(description))]);
  const isCommon = (value: string) => all.every((some) => some.includes(value));
  const cell = (some: readonly string[], index: number) => {
    const items = some.map((value) =>
      isCommon(value) ? html`<li>${text(value)}</li>` : html`<li><ins>${text(value)}</ins></li>`,
    );
    const { version, label } = compared[index]?.metadata ?? {};
    return html`<td role="cell" data-label="${version ?? label ?? ''}">${some.length === 0 ? '–' : html`<ul>${items}</ul>`}</td>`;
  };
  return html`<tr role="row"><th role="rowheader" scope="row">${name}</th>${all.map(cell)}</tr>`;
}
