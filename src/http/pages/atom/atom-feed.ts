import { html } from 'hono/html';
import { shapeName } from '../../../component/shape-names.js';
import type { Description } from '../../../registry/description.js';
import { authorName, isWebAddress } from '../../../web/fragments.js';
import { hostOf, type Markup } from '../../../web/page.js';
import { componentPath, type NodeView } from '../../../web/view.js';

export interface AtomFeed {
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
export function atomFeed({ node, title, self, page, entries, updated }: AtomFeed): string {
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
