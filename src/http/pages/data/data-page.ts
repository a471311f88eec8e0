import { canonicalShape } from '../../../component/canonical-shape.js';
import { shapesNamed } from '../../../component/shape-names.js';
import { isAbsoluteIri } from '../../../component/values.js';
import { parametersOf } from '../../../lib/http/request/url-parameters.js';
import type { Handler } from '../../../lib/http/resource.js';
import type { Catalog } from '../../../registry/catalog.js';
import type { Description } from '../../../registry/description.js';
import { descriptionsOf } from '../../../registry/page.js';
import { sourceOf } from '../../../web/content-policy.js';
import { type PageParts, pageAnswer } from '../../page-answer.js';
import { withMetadata } from '../../versions/find-versions.js';
import { ENTRIES } from '../finding/results-view.js';
import { readWebAddress } from '../web-address.js';
import { dataPage } from './data-view.js';
import { rankMatches } from './matching.js';

export interface DataParts extends PageParts {
  readonly catalog: Catalog;
}

/** Shapes of the data that are looked for, and components that are ranked for each of them. */
const BOUNDS = { shapes: 8, components: 1000 } as const;

/**
 * `GET /data?url=&shapes=`: the components that render the data at a URL. The node never reads it: a script on this page
 * does, in the visitor's browser, and asks for the page again with the shapes that it has found.
 */
export function getData(parts: DataParts): Handler {
  return async ({ req }) => {
    const parameters = parametersOf(req.url);
    const url = readWebAddress(parameters, 'url');
    const { shapes, unknown } = readShapes(parameters);
    const candidates = await findCandidates(parts.catalog, shapes);
    const matches = rankMatches(candidates, shapes);
    const shown = matches.slice(0, ENTRIES);
    const node = parts.node();
    const page = dataPage({ node, url, shapes, unknown, matches: shown, found: matches.length });
    return pageAnswer(page, { connect: url === '' ? [] : ['https:', sourceOf(url)] });
  };
}

/** The IRIs among the shapes, those that prefixed names stand for, and what is neither. */
function readShapes(parameters: URLSearchParams): { shapes: string[]; unknown: string | undefined } {
  const written = parameters.getAll('shapes').map((shape) => shape.trim());
  const meant = written.flatMap((shape) => {
    const [, ...expanded] = shapesNamed(shape);
    return expanded.length > 0 ? expanded : [canonicalShape(shape)];
  });
  const shapes = [...new Set(meant.filter(isAbsoluteIri))].slice(0, BOUNDS.shapes);
  return { shapes, unknown: meant.find((shape) => shape !== '' && !isAbsoluteIri(shape)) };
}

async function findCandidates(catalog: Catalog, shapes: readonly string[]): Promise<Description[]> {
  const found = new Map<string, Description>();
  for (const shape of shapes) {
    const page = await catalog.page({ shapes: [shape] }, { limit: BOUNDS.components });
    for (const description of await descriptionsOf(page)) {
      const read = withMetadata(description);
      found.set(read.metadata.uri, read);
    }
  }
  return [...found.values()];
}
