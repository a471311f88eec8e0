import { percentDecode } from '../../lib/http/request/percent.js';
import { uriSpellings } from '../../lib/http/request/uri-spellings.js';
import type { Representation } from '../representation.js';
import { readGraphs } from './selection.js';

/** A component that a request may mean, and whether all graphs are asked for. */
export interface MeantComponent {
  readonly uri: string;
  readonly graphs: Representation['graphs'];
}

const ALL_GRAPHS = 'graphs=all';

/**
 * The components that a request for `/c/<uri>` may mean, the likeliest first. The query string belongs to the uri when the
 * uri is not percent-encoded; a `graphs=all` at its end is a parameter only if no component has the uri with it. Browsers
 * encode characters that are not ASCII; for what else is uncertain see `uriSpellings`.
 * @throws InvalidInput for another value of `graphs` behind an encoded uri
 */
export function meantComponents(url: string): MeantComponent[] {
  const [, target = ''] = /^[a-z]+:\/\/[^/]*\/[^/]*\/?(.*)$/is.exec(url) ?? [];
  const isRaw = /^https?:\//i.test(target);
  const before = target.slice(0, -ALL_GRAPHS.length - 1);
  if (!isRaw) {
    const query = /\?([^#]*)/.exec(target)?.[1] ?? '';
    return meant(target.replace(/[?#].*$/s, ''), isRaw, readGraphs(new URLSearchParams(query)));
  }
  const asksForAll = target === `${before}?${ALL_GRAPHS}` || target === `${before}&${ALL_GRAPHS}`;
  return [...meant(target, isRaw, 'default'), ...(asksForAll ? meant(before, isRaw, 'all') : [])];
}

/** The uris among them, each once. */
export function meantUris(url: string): string[] {
  return [...new Set(meantComponents(url).map(({ uri }) => uri))];
}

function meant(written: string, isRaw: boolean, graphs: Representation['graphs']): MeantComponent[] {
  const decoded = percentDecode(written);
  const uris = uriSpellings(...(isRaw ? [written] : []), ...(decoded === undefined ? [] : [decoded]));
  return uris.map((uri) => ({ uri, graphs }));
}
