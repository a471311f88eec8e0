import type { Catalog } from '../../catalog/catalog.js';
import { withMetadata } from '../../catalog/description.js';
import { EXAMPLES_PATH, type Examples } from '../../example-data.js';
import { meantUris } from '../../http/components/component-uri.js';
import { statementsOf } from '../../http/components/single-component.js';
import { type ModuleLooksParts, moduleLooks } from '../../http/matching/module-looks.js';
import type { Serving } from '../../http/representation.js';
import { findVersions } from '../../http/versions/find-versions.js';
import type { Handler } from '../../lib/http/resource.js';
import { type FactSources, findFacts } from '../find-facts.js';
import { sourceOf } from '../shell/content-policy.js';
import { pageVariant } from '../shell/node-state.js';
import { type PageParts, pageAnswer, readWebAddress } from '../shell/page-answer.js';
import { componentPage, noComponentPage } from './view.js';

export interface ComponentPageParts extends Serving, PageParts, FactSources, ModuleLooksParts {
  /** Where it is looked up what is said of a component. */
  readonly lookup: Pick<Catalog, 'statements'>;
  readonly examples: () => Promise<Examples>;
}

/** `GET /c/<uri>` of a browser. */
export function getComponentPage(parts: ComponentPageParts): Handler {
  const { catalog, lookup, examples } = parts;
  return async (c) => {
    const node = parts.node();
    const { naming, revision } = await catalog.state();
    const { statements: found, entry: named } = await statementsOf(lookup, c.req.url);
    const [stored, ...others] = found;
    if (!stored) return pageAnswer(noComponentPage(node, meantUris(c.req.url)[0] ?? ''), { status: 404 });
    // Engines parse metadata each time that it is asked for, and the page asks often.
    const served = withMetadata(stored);
    const entry = readWebAddress(new URLSearchParams({ entry: named }), 'entry');
    const [look] = await moduleLooks([served], parts);
    const validators = {
      etag: parts.entityTag(naming, revision, pageVariant(node, [look])),
      since: revision.since,
    };
    return parts.cacheable.answer(c, validators, async () => {
      const { versions, others: namesakes } = await findVersions(served, catalog, c.pace);
      const statements = [served, ...others] as const;
      const facts = await findFacts(statements, namesakes, { ...parts, baseUrl: node.baseUrl });
      const name = (await examples()).nameFor(served.metadata);
      const ours = name && `${naming.baseUrl}${EXAMPLES_PATH}/${name}#it`;
      const example = served.metadata.example ?? ours;
      const page = componentPage({ node, statements, versions, namesakes, facts, entry, example, look });
      // The script that works out the integrity of a module fetches it in the visitor's browser.
      return pageAnswer(page, { connect: [sourceOf(served.metadata.uri)] });
    });
  };
}
