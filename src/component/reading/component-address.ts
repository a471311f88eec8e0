import { percentDecode } from '../../lib/http/request/percent.js';

/** The beginning of an absolute http(s) URL, as it is or percent-encoded. */
const URL_BEGINS = /^https?(?::\/\/|%3A%2F%2F)/i;

/**
 * The uri in an address of the node whose addresses begin with `base` (`<baseUrl>/c/`): what follows, when that is an absolute
 * http(s) URL. Other values as they are: a module may lie below a node's base, too.
 */
export function withoutBase<T>(value: T, base: string | undefined): T | string {
  if (!base || typeof value !== 'string' || !value.startsWith(base)) return value;
  return uriIn(value.slice(base.length)) ?? value;
}

/**
 * The uri in the address that a node gives to a component. A node behind a proxy, or with an alias, does not know by which
 * name it is asked, so what follows any `/c/` counts. To be used where nothing else says what the uri is.
 */
export function uriInAddress<T>(address: T, base: string | undefined): T | string {
  const known = withoutBase(address, base);
  if (!base || known !== address || typeof address !== 'string') return known;
  const at = address.search(/\/c\/https?(?::\/\/|%3A%2F%2F)/i);
  return (at < 0 ? undefined : uriIn(address.slice(at + '/c/'.length))) ?? address;
}

function uriIn(rest: string): string | undefined {
  if (!URL_BEGINS.test(rest)) return undefined;
  return /^https?:/i.test(rest) ? rest : percentDecode(rest);
}
