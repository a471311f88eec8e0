import validVersion from 'semver/functions/valid.js';
import { parsedUrl } from '../lib/can-parse-url.js';

/** A version of an npm package, as the address of a file names it. */
export interface NpmPackage {
  readonly name: string;
  readonly version: string;
  /** The host that serves the files of all packages. */
  readonly cdn: string;
}

/** Hosts that serve the files of whatever npm package an address names, and what stands before the name. */
const CDNS: ReadonlyMap<string, string> = new Map([
  ['unpkg.com', '/'],
  ['cdn.jsdelivr.net', '/npm/'],
  ['esm.sh', '/'],
]);
/** The name of a package (`validate-npm-package-name`), then a version, then a file of it. */
const NAMED = /^((?:@[a-z0-9~-][a-z0-9._~-]{0,100}\/)?[a-z0-9~-][a-z0-9._~-]{0,213})@([^/@]{1,100})(?:\/|$)/;

/** The package that the address of a module lies in; none for ranges of versions and tags, behind which other files may come. */
export function npmPackageOf(uri: string): NpmPackage | undefined {
  const url = parsedUrl(uri);
  const before = url?.protocol === 'https:' && url.port === '' ? CDNS.get(url.hostname) : undefined;
  if (!url || before === undefined || !url.pathname.startsWith(before)) return undefined;
  const [, name, version = ''] = NAMED.exec(url.pathname.slice(before.length)) ?? [];
  if (name === undefined || validVersion(version) !== version) return undefined;
  return { name, version, cdn: url.hostname };
}
