import { html } from 'hono/html';
import { shapeName } from '../../component/shape-names.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler } from '../../lib/http/resource.js';
import type { Pace } from '../../lib/pace.js';
import type { Catalog } from '../../registry/catalog.js';
import type { Description } from '../../registry/description.js';
import { authorName, isWebAddress } from '../../web/fragments.js';
import { hostOf, type Markup } from '../../web/page.js';
import { componentPath, type NodeView, rootPath } from '../../web/view.js';
import type { PageParts } from '../page-answer.js';
import type { Serving } from '../representation.js';
import { findVersions } from '../versions/find-versions.js';
import { FACETS } from './finding/facets.js';
import { newest } from './finding/newest.js';
import { isEmpty, LISTS, queryOf, readSearch, type Search, searchParameters } from './finding/search.js';

type AtomParts = Serving & PageParts;

/** The request headers that the answers depend on. */
export const ATOM_VARIES = ['if-none-match', 'if-modified-since'];

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
    entries: await newest(catalog, queryOf(search), ENTRIES),
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

interface AtomFeed {
  readonly node: NodeView;
  readonly title: string;
  /** URLs of the feed and of the page that it belongs to, from the root of the node on. */
  readonly self: string;
  readonly page: string;
  /** The newest first. */
  readonly entries: readonly Description[];
  /** When the newest of them was first seen so, ms since the Unix epoch; when there is none, since when. */
  readonly updated: number;
}

/** New and changed components as an Atom feed (RFC 4287). Each form of a description is an entry of its own. */
function atomFeed({ node, title, self, page, entries, updated }: AtomFeed): string {
  const { origin } = new URL(node.baseUrl);
  return String(html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${origin + self}</id>
<title>${plain(title)}</title>
<updated>${new Date(updated).toISOString()}</updated>
<link rel="self" type="application/atom+xml" href="${origin + self}"/>
<link rel="alternate" type="text/html" href="${origin + page}"/>
<generator version="${node.version}">component-registry-node</generator>
${entries.map((one) => entry(one, node.baseUrl))}</feed>
`);
}

function entry({ metadata, since }: Description, baseUrl: string): Markup {
  const { uri, label, version, description, author, tag, shapes } = metadata;
  const address = new URL(baseUrl).origin + componentPath(baseUrl, uri);
  const moment = new Date(since).toISOString();
  return html`<entry>
<id>${address}#${moment}</id>
<title>${plain(version ? `${label} ${version}` : label)}</title>
<updated>${moment}</updated>
<link rel="alternate" type="text/html" href="${address}"/>
${author.length === 0 ? html`<author><name>${hostOf(baseUrl)}</name></author>` : author.map(person)}
${description ? html`<summary>${plain(description)}</summary>` : ''}
${shapes.map((shape) => html`<category term="${plain(shape)}" label="${plain(shapeName(shape))}"/>`)}
${tag.map((one) => html`<category term="${plain(one)}"/>`)}
</entry>
`;
}

function person(author: string): Markup {
  return html`<author><name>${plain(authorName(author))}</name>${isWebAddress(author) ? html`<uri>${plain(author)}</uri>` : ''}</author>`;
}

/** A text without the characters that XML cannot have (XML 1.0, section 2.2). */
function plain(text: string): string {
  return text.replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');
}
