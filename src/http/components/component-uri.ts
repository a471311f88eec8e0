import { percentDecode } from '../../lib/http/request/percent.js';
import { uriSpellings } from '../../lib/http/request/url-parameters.js';
import type { Representation } from '../representation.js';
import { readGraphs } from './selection.js';

/** A component that a request may mean, and what else is asked for. */
export interface MeantComponent {
  readonly uri: string;
  /** Are all graphs asked for? */
  readonly graphs: Representation['graphs'];
  /** URL of the data that its page is to show it with, as it is written; `''` for none. */
  readonly entry: string;
}

const NOTHING_ELSE = { graphs: 'default', entry: '' } as const;
const ALL_GRAPHS = 'graphs=all';

/**
 * The components that a request for `/c/<uri>` may mean, the likeliest first. The query string belongs to the uri when the
 * uri is not percent-encoded; a `graphs=all` or an `entry=<URL>` at its end is a parameter only if no component has the uri
 * with it. Browsers encode characters that are not ASCII; for what else is uncertain see `uriSpellings`.
 * @throws InvalidInput for another value of `graphs` behind an encoded uri
 */
export function meantComponents(url: string): MeantComponent[] {
  const [, target = ''] = /^[a-z]+:\/\/[^/]*\/[^/]*\/?(.*)$/is.exec(url) ?? [];
  if (/^https?:\//i.test(target)) {
    const [before, last] = withoutLastParameter(target);
    const entry = new URLSearchParams(last).get('entry') ?? '';
    return [
      ...meant(target, true, NOTHING_ELSE),
      ...(last === ALL_GRAPHS ? meant(before, true, { graphs: 'all', entry: '' }) : []),
      ...(entry === '' ? [] : meant(before, true, { graphs: 'default', entry })),
    ];
  }
  const query = new URLSearchParams(/\?([^#]*)/.exec(target)?.[1] ?? '');
  const asked = { graphs: readGraphs(query), entry: query.get('entry') ?? '' };
  return meant(target.replace(/[?#].*$/s, ''), false, asked);
}

/** What stands before the last parameter of an address, and the parameter. */
function withoutLastParameter(target: string): readonly [before: string, parameter: string] {
  const at = Math.max(target.lastIndexOf('?'), target.lastIndexOf('&'));
  return at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
}

/** The uris among them, each once. */
export function meantUris(url: string): string[] {
  return [...new Set(meantComponents(url).map(({ uri }) => uri))];
}

function meant(written: string, isRaw: boolean, asked: Omit<MeantComponent, 'uri'>): MeantComponent[] {
  const decoded = percentDecode(written);
  const uris = uriSpellings(...(isRaw ? [written] : []), ...(decoded === undefined ? [] : [decoded]));
  return uris.map((uri) => ({ uri, ...asked }));
}
