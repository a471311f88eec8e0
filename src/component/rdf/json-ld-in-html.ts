import { MalformedInput } from '../../lib/faults.js';

/** Longest tag that is read, in characters: nobody writes longer ones. */
const LONGEST_TAG = 1000;

/**
 * The JSON-LD in the scripts of a page, as one list (JSON-LD 1.1, section 7). Scripts that do not name the vocabulary, or that of
 * Application Capability, are for others: search engines, most often, whose context is not to be had.
 * @param names one of which a script that counts has in it
 * @throws MalformedInput when there is none
 */
export function jsonLdInHtml(html: string, names: readonly string[]): string {
  const texts = [...scriptsIn(html)].filter((text) => names.some((name) => text.includes(name)));
  if (texts.length > 0) return `[${texts.join(',')}]`;
  throw new MalformedInput('The page has no script of type application/ld+json that describes components');
}

function* scriptsIn(html: string): Generator<string> {
  const begin = /<script\b/gi;
  const end = /<\/script/gi;
  for (let found = begin.exec(html); found; found = begin.exec(html)) {
    const tag = html.slice(found.index, found.index + LONGEST_TAG);
    const close = tag.indexOf('>');
    if (close < 0) continue;
    end.lastIndex = found.index + close + 1;
    const ended = end.exec(html);
    // Without an end, nothing that follows is one.
    if (!ended) return;
    if (/\stype=["']?application\/ld\+json["'\s;>]/i.test(tag.slice(0, close + 1)))
      yield html.slice(found.index + close + 1, ended.index).trim();
    begin.lastIndex = ended.index;
  }
}
