import { percentDecode } from '../../lib/http/request/percent.js';
import type { Representation } from './representation.js';
import { readGraphs } from './selection.js';

/** A component that a request may mean, and whether all graphs are asked for. */
export interface MeantComponent {
  readonly uri: string;
  readonly graphs: Representation['graphs'];
}

const ALL_GRAPHS = 'graphs=all';

/**
 * The components that a request for `/c/<uri>` may mean, the likeliest first. The query string belongs to the uri when the
 * uri is not percent-encoded; a `graphs=all` at its end is a parameter only if no component has the uri with it.
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

/**
 * Three things make it uncertain which uri is meant: proxies merge slashes, browsers encode characters that are not ASCII,
 * and a slash at the end may belong to the uri or not.
 */
function meant(written: string, isRaw: boolean, graphs: Representation['graphs']): MeantComponent[] {
  const decoded = percentDecode(written);
  const readings = [...(isRaw ? [written] : []), ...(decoded === undefined ? [] : [decoded])];
  const whole = readings.map((uri) => uri.replace(/^(https?):\/+/i, '$1://'));
  const uris = new Set([...whole, ...whole.map((uri) => uri.replace(/\/$/, ''))]);
  return [...uris].map((uri) => ({ uri, graphs }));
}
