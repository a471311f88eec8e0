/** One link of a `Link` header (RFC 8288), its target absolute. */
export interface Link {
  readonly target: string;
  /** Lower case, unless it is a URL. */
  readonly relations: readonly string[];
}

const LINK = /<([^>]*)>((?:\s*;\s*[^\s=;,]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)/g;
const REL = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i;

/** The links in a header; those that nobody can read are passed over. */
export function readLinks(header: string | null, base: string): Link[] {
  return [...(header ?? '').matchAll(LINK)].flatMap(([, target = '', parameters = '']) => {
    const [, quoted, bare] = REL.exec(parameters) ?? [];
    const relations = (quoted ?? bare ?? '').split(/\s+/).filter((one) => one !== '');
    if (!URL.canParse(target, base) || relations.length === 0) return [];
    return [{ target: new URL(target, base).href, relations: relations.map(canonical) }];
  });
}

function canonical(relation: string): string {
  return relation.includes(':') ? relation : relation.toLowerCase();
}
