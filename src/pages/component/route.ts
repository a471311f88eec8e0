import { withMetadata } from '../../catalog/description.js';
import { EXAMPLES_PATH, type Examples } from '../../example-data.js';
import { meantUris } from '../../http/components/component-uri.js';
import { statementsOf } from '../../http/components/single-component.js';
import { fingerprintOf } from '../../http/entity-tags.js';
import type { Serving } from '../../http/representation.js';
import { findVersions } from '../../http/versions/version-groups.js';
import { Problem } from '../../lib/http/problem.js';
import { percentDecode } from '../../lib/http/request/percent.js';
import type { Handler } from '../../lib/http/resource.js';
import { enteredAddress, type PageParts, pageAnswer } from '../shell/page-answer.js';
import { type ModuleLookParts, moduleLook } from './module-look.js';
import { componentPage, noComponentPage } from './view.js';

interface ComponentPageParts extends Serving, PageParts, ModuleLookParts {
  readonly examples: () => Promise<Examples>;
}

/** `GET /c/<uri>` of a browser. */
export function getComponentPage(parts: ComponentPageParts): Handler {
  const { catalog, examples } = parts;
  return async (c) => {
    const node = parts.node();
    const state = await catalog.state();
    const { naming, revision } = state;
    const { statements: found, entry: named } = await statementsOf(catalog, c.req.url);
    const [stored, ...others] = found;
    if (!stored && percentDecode(c.req.url) === undefined)
      throw new Problem(400, 'The path is not valid percent-encoding');
    if (!stored) return pageAnswer(noComponentPage(node, meantUris(c.req.url)[0] ?? ''), { status: 404 });
    // Engines parse metadata each time that it is asked for, and the page asks often.
    const served = withMetadata(stored);
    const { url: entry, mistyped } = enteredAddress(named);
    const look = await moduleLook(served, parts);
    // How its module was at the last look is told by no revision.
    const variant = `html-${fingerprintOf([JSON.stringify(look ?? '')])}`;
    const tagged = (mark: string) => {
      return { etag: parts.entityTag(naming, revision, variant + mark), since: revision.since };
    };
    const unchanged = mistyped === undefined && parts.cacheable.unchanged(c, tagged(''));
    if (unchanged) return unchanged;
    const { versions, others: namesakes } = await findVersions(served, catalog, c.pace);
    const statements = [served, ...others] as const;
    const name = (await examples()).nameFor(served.metadata);
    const ours = name && `${naming.baseUrl}${EXAMPLES_PATH}/${name}#it`;
    const example = served.metadata.example ?? ours;
    const page = componentPage({ node, statements, versions, namesakes, entry, mistyped, example, look });
    if (mistyped !== undefined) return pageAnswer(page, { status: 422 });
    // The page may show a change that came while it was made: then its tag is that of its bytes, too.
    const isOfOneState = (await catalog.state()) === state;
    return parts.cacheable.fresh(tagged(isOfOneState ? '' : `-${fingerprintOf([page])}`), pageAnswer(page));
  };
}
