import { parse } from 'content-type';

/** One link of a `Link` header (RFC 8288, section 3). */
export interface Link {
  /** As it is written, perhaps relative. */
  readonly target: string;
  /** Lower case, unless it is a URL; perhaps none. */
  readonly relations: readonly string[];
}

/**
 * The links in a header; malformed ones are skipped. This code also runs in browsers.
 *
 * The parameters are read by content-type, which knows their syntax. Of the parsers for whole links,
 * http-link-header refuses a header with one bad link and takes quadratic time for spaces, and
 * parse-link-header and li keep one link of each relation.
 */
export function parseLinks(header: string | null): Link[] {
  const links: Link[] = [];
  const text = header ?? '';
  for (let start = 0; ; ) {
    const open = text.indexOf('<', start);
    const close = open < 0 ? -1 : text.indexOf('>', open);
    if (close < 0) return links;
    const { parameters, index } = parse(text, { comma: true, start: close + 1 });
    links.push({ target: text.slice(open + 1, close), relations: relationsIn(parameters.rel ?? '') });
    start = index + 1;
  }
}

function relationsIn(rel: string): string[] {
  const relations = rel.split(/\s/).filter((one) => one !== '');
  return relations.map((one) => (one.includes(':') ? one : one.toLowerCase()));
}
