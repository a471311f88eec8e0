import { percentDecode } from '../../lib/http/request/percent.js';
import { uriSpellings } from '../../lib/http/request/uri-spellings.js';

/**
 * The uris that a request for `/c/<uri>` may mean, the likeliest first. The query string belongs to the uri when the
 * uri is not percent-encoded. Browsers encode characters that are not ASCII; for what else is uncertain see `uriSpellings`.
 */
export function meantUris(url: string): string[] {
  const [, target = ''] = /^[a-z]+:\/\/[^/]*\/[^/]*\/?(.*)$/is.exec(url) ?? [];
  const isRaw = /^https?:\//i.test(target);
  const written = isRaw ? target : target.replace(/[?#].*$/s, '');
  const decoded = percentDecode(written);
  return uriSpellings(...(isRaw ? [written] : []), ...(decoded === undefined ? [] : [decoded]));
}
