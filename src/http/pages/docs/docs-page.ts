import { parametersOf } from '../../../lib/http/request/url-parameters.js';
import type { Handler } from '../../../lib/http/resource.js';
import { withoutTrailingSlashes } from '../../../lib/trailing-slashes.js';
import { type PageParts, pageAnswer } from '../../page-answer.js';
import { docsPage, docsSearchPage, noDocumentPage } from './docs-view.js';
import type { Documentation } from './documents.js';
import { searchDocuments } from './search-documents.js';

export interface DocsParts extends PageParts {
  readonly documentation: Documentation;
}

/** In characters; the page repeats the search. */
const LONGEST_SEARCH = 200;
/** Pictures of the documents; a new version of the node may have others. */
const PICTURE_CACHING = { 'cache-control': 'public, max-age=600' };

/** `GET /docs`: the first page of the documentation, or with `?q=` the sections that have these words. */
export function getDocs(parts: DocsParts): Handler {
  return ({ req }) => {
    const search = parametersOf(req.url).get('q')?.slice(0, LONGEST_SEARCH).trim() ?? '';
    const view = viewOf(parts);
    if (search !== '') {
      return pageAnswer(docsSearchPage(view, search, searchDocuments(parts.documentation, search)));
    }
    const first = parts.documentation.page('');
    return first ? pageAnswer(docsPage(view, first)) : pageAnswer(noDocumentPage(view), { status: 404 });
  };
}

/** `GET /docs/<name>` and `GET /docs/pictures/<name>`. */
export function getDocument(parts: DocsParts): Handler {
  return ({ req }) => {
    const name = withoutTrailingSlashes(req.path.slice('/docs/'.length));
    const picture = name.startsWith('pictures/')
      ? parts.documentation.picture(name.slice('pictures/'.length))
      : undefined;
    if (picture) {
      const type = name.endsWith('.svg') ? 'image/svg+xml' : 'image/png';
      return { status: 200, headers: { 'content-type': type, ...PICTURE_CACHING }, body: picture };
    }
    // Whoever reads the Markdown follows a link to the file.
    const page = name === '' ? undefined : parts.documentation.page(name.replace(/\.md$/, '').toLowerCase());
    return page
      ? pageAnswer(docsPage(viewOf(parts), page))
      : pageAnswer(noDocumentPage(viewOf(parts)), { status: 404 });
  };
}

const viewOf = (parts: DocsParts) => ({ node: parts.node(), documentation: parts.documentation });
