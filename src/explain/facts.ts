import type { Description } from '../catalog/description.js';
import { type NpmPackage, npmPackageOf } from '../component/npm-package.js';
import { isChanged } from '../component/pin.js';
import type { StoredPin } from '../core/pins.js';
import { parsedUrl } from '../lib/can-parse-url.js';

/**
 * What a node knows of a component by itself: what it saw, when, and what addresses say. Nothing that an author writes sets
 * any of it. Times are ms since the Unix epoch.
 */
export interface Facts {
  /** When this node first saw the component described as it is described now by anybody, or the module of this version. */
  readonly firstSeen: number;
  /** When the source whose description is served was first read; absent for what is posted here or comes with this software. */
  readonly sourceFirstRead?: number;
  readonly module: { readonly host: string; readonly of: ModuleHost };
  /** Where its address lies in a version of an npm package. Nobody here has compared the bytes with the package. */
  readonly npm?: NpmPackage & { readonly verified: false };
  /** Other components of its name, described by other sources; up to 1,000 descriptions are looked through. */
  readonly sameName: number;
  /** What this node saw of the bytes of this version; absent where it has not looked. */
  readonly bytes?: {
    readonly firstSeen: number;
    readonly changed: boolean;
    /** When they were first found to be others. */
    readonly changedAt?: number;
  };
}

/**
 * Whose host serves the module: this node's, that of the source which describes it, that of an author whom the description
 * names (which the description says of itself), or another one.
 */
export type ModuleHost = 'node' | 'source' | 'named-author' | 'other';

export interface FactParts {
  /** Every description, the served one first. */
  readonly statements: readonly [Description, ...Description[]];
  /** What was seen of the module, if anything. */
  readonly seen: StoredPin | undefined;
  readonly sourceFirstRead: number | undefined;
  readonly sameName: number;
  /** Public URL of the node. */
  readonly baseUrl: string;
}

export function factsOf({ statements, seen, sourceFirstRead, sameName, baseUrl }: FactParts): Facts {
  const [served] = statements;
  const npm = npmPackageOf(served.metadata.uri);
  const sights = [...statements.map(({ since }) => since), ...(seen ? [seen.since] : [])];
  return {
    firstSeen: sights.reduce((earliest, at) => Math.min(earliest, at)),
    sourceFirstRead,
    module: moduleHost(served, baseUrl),
    ...(npm && { npm: { ...npm, verified: false } }),
    sameName,
    // A pin is told where what was seen is comparable with what is promised.
    ...(seen && served.pin && { bytes: bytesSeen(seen, isChanged(served.pin)) }),
  };
}

function bytesSeen({ since, changedAt }: StoredPin, changed: boolean): NonNullable<Facts['bytes']> {
  return { firstSeen: since, changed, changedAt: changed ? changedAt : undefined };
}

function moduleHost({ metadata, source }: Description, baseUrl: string): Facts['module'] {
  const { origin, host } = new URL(metadata.uri);
  const isThere = (url: string) => parsedUrl(url)?.origin === origin;
  if (isThere(baseUrl)) return { host, of: 'node' };
  if (isThere(source.url)) return { host, of: 'source' };
  return { host, of: metadata.author.some(isThere) ? 'named-author' : 'other' };
}
