import { Problem } from '../../lib/http/problem.js';
import { percentDecode } from '../../lib/http/request/percent.js';
import { meantUris } from '../uri.js';

/** The mount point of the service, without a trailing slash: `base` is its URL for clients, `path` its path on this node. */
export interface Mount {
  readonly base: string;
  readonly path: string;
}

/**
 * The URIs that the path `/<collection>/<uri>[/<part>]` of a request may mean, the likeliest first.
 * @throws Problem 400 when the path is not valid percent-encoding, 404 when it holds no URI
 */
export function requestedUris(url: string, mount: Mount, collection: string, part?: string): string[] {
  const [path = '', query = ''] = splitTarget(url.replace(/^[a-z]+:\/\/[^/]*/i, ''));
  const prefix = `${mount.path}/${collection}/`;
  const written = path.startsWith(prefix) ? path.slice(prefix.length) : '';
  if (percentDecode(path) === undefined) throw new Problem(400, 'The path is not valid percent-encoding');
  const named = part === undefined ? written + query : written.replace(new RegExp(`/${part}/?$`), '');
  const meant = meantUris(named, `${mount.base}/${collection}`);
  if (meant.length === 0) throw noSuch(collection);
  return meant;
}

/** The same answer for records that do not exist and for those of other holders, so that nobody can guess their URIs. */
export function noSuch(collection: string): Problem {
  return new Problem(404, `There is no ${collection} of yours with this URI`);
}

/** Splits a request target into its path and its query, which keeps the `?`. */
function splitTarget(target: string): [string, string] {
  const at = target.search(/[?#]/);
  return at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at)];
}
