import { parametersOf } from '../../../lib/http/request/url-parameters.js';
import type { Handler } from '../../../lib/http/resource.js';
import type { Pace } from '../../../lib/pace.js';
import type { Catalog } from '../../../registry/catalog.js';
import type { Description } from '../../../registry/description.js';
import { hostOf } from '../../../web/page.js';
import { componentPath, rootPath } from '../../../web/view.js';
import type { PageParts } from '../../page-answer.js';
import type { Serving } from '../../representation.js';
import { findVersions } from '../../versions/find-versions.js';
import { FACETS } from '../finding/facets.js';
import { newest } from '../finding/newest.js';
import { isEmpty, LISTS, queryOf, readSearch, type Search, searchParameters } from '../finding/search.js';
import { type AtomFeed, atomFeed } from './atom-feed.js';

type AtomParts = Serving & PageParts;

/** The request headers that the answers depend on. */
export const ATOM_VARIES = ['if-none-match', 'if-modified-since'];

/** Entries of a feed. */
const ENTRIES = 50;

/** `GET /atom`, with the parameters of a search or the `uri` of a component: what is new and has changed, as a feed. */
export function getAtom(parts: AtomParts): Handler {
  const { catalog, entityTag, cacheable, naming } = parts;
  return async (c) => {
    const { revision } = await catalog.state();
    const validators = { etag: entityTag(revision, 'atom'), since: revision.since, repeatable: true };
    return cacheable.answer(c, validators, async () => {
      const parameters = parametersOf(c.req.url);
      const uri = parameters.get('uri');
      const found =
        uri === null
          ? await ofSearch(catalog, readSearch(parameters), naming.baseUrl)
          : await ofComponent(uri, parts);
      const updated = found.entries[0]?.since ?? revision.since;
      const body = atomFeed({ node: parts.node(), updated, ...found });
      const headers = { 'content-type': 'application/atom+xml; charset=utf-8' };
      return { status: 200, headers, body };
    });
  };
}

type Found = Pick<AtomFeed, 'title' | 'self' | 'page' | 'entries'>;

async function ofSearch(catalog: Catalog, search: Search, baseUrl: string): Promise<Found> {
  const parameters = searchParameters({ ...search, order: undefined });
  const root = rootPath(baseUrl);
  return {
    title: titleOf(search, baseUrl),
    self: `${root}/atom${parameters}`,
    page: `${root}/${parameters}`,
    entries: await newest(await catalog.page(queryOf(search)), ENTRIES),
  };
}

function titleOf(search: Search, baseUrl: string): string {
  if (isEmpty(search)) return `Components on ${hostOf(baseUrl)}`;
  const values = LISTS.flatMap((name) => search[name].map(FACETS[name].label));
  return `${[search.q, ...values].filter((one) => one !== '').join(', ')} – components on ${hostOf(baseUrl)}`;
}

/** A component and its versions. Of one that is not there, the feed is empty: it may come. */
async function ofComponent(uri: string, { catalog, naming: { baseUrl }, pace }: AtomParts): Promise<Found> {
  const [served] = await catalog.statements(uri);
  return {
    title: `${served?.metadata.label ?? uri} – ${hostOf(baseUrl)}`,
    self: `${rootPath(baseUrl)}/atom?${new URLSearchParams({ uri })}`,
    page: componentPath(baseUrl, uri),
    entries: served ? await versionsOf(catalog, served, pace) : [],
  };
}

async function versionsOf(
  catalog: Catalog,
  served: Description,
  pace: Pace,
): Promise<readonly Description[]> {
  const { versions } = await findVersions(served, catalog, pace);
  return versions.toSorted((one, other) => other.since - one.since).slice(0, ENTRIES);
}
