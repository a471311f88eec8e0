import { Problem } from '../../../lib/http/problem.js';
import { parametersOf } from '../../../lib/http/request/url-parameters.js';
import type { Handler } from '../../../lib/http/resource.js';
import type { Catalog } from '../../../registry/catalog.js';
import type { Description } from '../../../registry/description.js';
import { type PageParts, pageAnswer } from '../../page-answer.js';
import { questionPage } from '../question-page.js';
import { COMPARED, comparePage } from './compare-view.js';

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
