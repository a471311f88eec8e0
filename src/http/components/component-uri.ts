import { percentDecode } from '../../lib/http/request/percent.js';

/**
 * The uris that a request for `/c/<uri>` may mean, the likeliest first. A uri that stands there as it is owns
 * the query string; an encoded one does not. Proxies merge slashes, browsers encode what is not ASCII, and a
 * slash at the end may be part of the uri or not.
 */
export function meantUris(url: string): string[] {
  const [, target = ''] = /^[a-z]+:\/\/[^/]*\/[^/]*\/?(.*)$/is.exec(url) ?? [];
  const isRaw = /^https?:\//i.test(target);
  const written = isRaw ? target : target.replace(/[?#].*$/s, '');
  const decoded = percentDecode(written);
  const meant = [...(isRaw ? [written] : []), ...(decoded === undefined ? [] : [decoded])];
  const whole = meant.map((uri) => uri.replace(/^(https?):\/+/i, '$1://'));
  return [...new Set([...whole, ...whole.map((uri) => uri.replace(/\/$/, ''))])];
}
