import type { Catalog } from '../../catalog/catalog.js';
import { type Description, withMetadata } from '../../catalog/description.js';
import type { Naming } from '../../component/naming.js';
import { EXAMPLES_PATH, type Examples } from '../../example-data.js';
import { meantUris } from '../../http/components/component-uri.js';
import { statementsOf } from '../../http/components/single-component.js';
import { type ModuleLooksParts, moduleLooks } from '../../http/matching/module-looks.js';
import type { Serving } from '../../http/representation.js';
import { findVersions } from '../../http/versions/find-versions.js';
import type { Handler } from '../../lib/http/resource.js';
import { pacedBody } from '../../lib/http/response/paced-body.js';
import { type FactSources, findFacts } from '../find-facts.js';
import { pageHeaders, sourceOf } from '../shell/content-policy.js';
import { footVariant } from '../shell/node-state.js';
import { type PageParts, pageAnswer } from '../shell/page-answer.js';
import { readWebAddress } from '../shell/web-address.js';
import { componentPage, noComponentPage } from './component-view.js';

export interface ComponentPageParts extends Serving, PageParts, FactSources, ModuleLooksParts {
  /** Where it is looked up what is said of a component. */
  readonly lookup: Pick<Catalog, 'statements'>;
  readonly examples: () => Promise<Examples>;
}

/** `GET /c/<uri>` of a browser. */
export function getComponentPage(parts: ComponentPageParts): Handler {
  const { catalog } = parts;
  return async (c) => {
    const node = parts.node();
    const { naming, revision } = await catalog.state();
    const { statements: found, entry: named } = await statementsOf(parts.lookup, c.req.url);
    const [served, ...others] = found;
    // Engines parse metadata each time that it is asked for, and the page asks often.
    const first = served && withMetadata(served);
    if (!first) return pageAnswer(noComponentPage(node, meantUris(c.req.url)[0] ?? ''), { status: 404 });
    const entry = readWebAddress(new URLSearchParams({ entry: named }), 'entry');
    const [look] = await moduleLooks([first], parts);
    // No revision tells how the node fares, or how the module was at the last look.
    const variant = `html${footVariant(node)}${look ? `-${look.state}${look.at}` : ''}`;
    const validators = { etag: parts.entityTag(naming, revision, variant), since: revision.since };
    return parts.cacheable.answer(c, validators, async () => {
      const { versions, others: namesakes } = await findVersions(first, catalog, c.pace);
      const statements = [first, ...others] as const;
      const facts = await findFacts(statements, namesakes, { ...parts, baseUrl: node.baseUrl });
      const example = first.metadata.example ?? (await exampleFor(first, naming, parts));
      const shown = { node, statements, versions, namesakes, facts, entry, example, look };
      const body = await pacedBody(componentPage(shown), c.pace);
      // The script that works out the integrity of a module fetches it in the visitor's browser.
      const headers = pageHeaders({ connect: [sourceOf(first.metadata.uri)] });
      return { status: 200, headers, body };
    });
  };
}

/** URL of data of ours that is of the shape that a component renders. */
async function exampleFor(
  { metadata }: Description,
  { baseUrl }: Naming,
  parts: Pick<ComponentPageParts, 'examples'>,
): Promise<string | undefined> {
  const name = (await parts.examples()).nameFor(metadata);
  return name && `${baseUrl}${EXAMPLES_PATH}/${name}#it`;
}
