import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import type { Handler } from '../../lib/http/resource.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import { type PageParts, pageAnswer } from '../shell/page-answer.js';
import type { Documentation } from './documentation.js';
import { documentPage } from './view.js';

export interface DocsParts extends PageParts {
  readonly documentation: Documentation;
}

const PICTURES = 'pictures/';

/** `GET /docs`, the first page of the documentation, `GET /docs/<name>` and `GET /docs/pictures/<name>`. */
export function getDocument({ node, documentation }: DocsParts): Handler {
  return ({ req }) => {
    const name = withoutTrailingSlashes(req.path.slice('/docs/'.length));
    const picture = name.startsWith(PICTURES) && documentation.picture(name.slice(PICTURES.length));
    if (picture) {
      const type = name.endsWith('.svg') ? 'image/svg+xml' : 'image/png';
      // A new version of the node may have others.
      const headers = { 'content-type': type, 'cache-control': 'public, max-age=600' };
      return { status: 200, headers, body: picture };
    }
    chooseRepresentation(req.header('accept'), ['text/html']);
    const pages = documentation.pages();
    // Whoever reads the Markdown follows a link to the file.
    const wanted = name.replace(/\.md$/, '').toLowerCase();
    const page = pages.find((one) => one.name === wanted);
    return pageAnswer(documentPage(node(), pages, page), { status: page ? 200 : 404 });
  };
}
