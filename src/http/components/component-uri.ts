import { percentDecode } from '../../lib/http/request/percent.js';

/**
 * The uris that a request for `/c/<uri>` may mean, the likeliest first. The query string belongs to the uri when the
 * uri is not percent-encoded. Three things make it uncertain: proxies merge slashes, browsers encode characters that
 * are not ASCII, and a slash at the end may belong to the uri or not.
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
