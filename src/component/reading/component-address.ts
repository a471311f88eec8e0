import { percentDecode } from '../../lib/http/request/percent.js';

/**
 * The uri in an address of the node whose addresses begin with `base` (`<baseUrl>/c/`): what follows, as it is or percent-encoded,
 * when that is an absolute http(s) URL. Other values as they are: a module may lie below a node's base, too.
 */
export function withoutBase<T>(value: T, base: string | undefined): T | string {
  if (!base || typeof value !== 'string' || !value.startsWith(base)) return value;
  const rest = value.slice(base.length);
  if (/^https?:\/\//i.test(rest)) return rest;
  return (/^https?%3A%2F%2F/i.test(rest) ? percentDecode(rest) : undefined) ?? value;
}

/**
 * The uri in the address that a node gives to a component. A node behind a proxy, or with an alias, does not know by which
 * name it is asked, so what follows any `/c/` counts. To be used where nothing else says what the uri is.
 */
export function uriInAddress<T>(address: T, base: string | undefined): T | string {
  if (!base || typeof address !== 'string' || address.startsWith(base)) return withoutBase(address, base);
  const at = address.search(/\/c\/https?(?::\/\/|%3A%2F%2F)/i);
  return at < 0 ? address : withoutBase(address, address.slice(0, at + '/c/'.length));
}
