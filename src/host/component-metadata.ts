import { compareText } from '../lib/compare-text.js';
import { HostError } from './host-error.js';

/** What a registry says of one component. */
export interface ComponentMetadata {
  /** URL of the JavaScript module. */
  readonly uri: string;
  readonly label: string;
  readonly description?: string;
  readonly version?: string;
  readonly latest?: boolean;
  readonly author: readonly string[];
  readonly tag: readonly string[];
  /** IRIs of the data shapes that it renders. */
  readonly shapes: readonly string[];
}

/** What a component must be to be found; all of it must hold, and `{}` finds everything. */
export interface Constraints {
  readonly uri?: string;
  readonly label?: string;
  readonly description?: string;
  /** Equal, or an npm semver range that contains the component's version. */
  readonly version?: string;
  readonly latest?: boolean;
  /** One value or several: every one of them must be among the component's. */
  readonly author?: string | readonly string[];
  readonly tag?: string | readonly string[];
  readonly shapes?: string | readonly string[];
  /** Words that all occur in label, description, tags or authors; case and accents do not matter. */
  readonly q?: string;
}

/** The constraints as the parameters of a URL, always in the same order: equal ones have equal URLs. */
export function searchOf(constraints: Constraints): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(constraints).sort(([one], [other]) => compareText(one, other))) {
    for (const one of [value ?? []].flat()) parameters.append(name, String(one));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** Reads a listing in JSON. Entries that no host could use are passed over. @throws HostError `syntax` for what is no listing */
export function readListing(text: string, from: string): ComponentMetadata[] {
  let listing: unknown;
  try {
    listing = JSON.parse(text);
  } catch (cause) {
    throw new HostError('syntax', `${from} answered with something that is not JSON`, { cause });
  }
  if (!Array.isArray(listing))
    throw new HostError('syntax', `${from} answered with something that is not a list`);
  return listing.flatMap(readComponent);
}

function readComponent(item: Record<string, unknown> | null): ComponentMetadata[] {
  const { uri, label, description, version, latest } = item ?? {};
  if (typeof uri !== 'string' || !/^https?:\/\//i.test(uri)) return [];
  const component: ComponentMetadata = {
    uri,
    label: typeof label === 'string' ? label : uri,
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof version === 'string' ? { version } : {}),
    ...(latest === undefined ? {} : { latest: latest === true || latest === 'true' }),
    author: listOf(item?.author),
    tag: listOf(item?.tag),
    shapes: listOf(item?.shapes),
  };
  return [Object.freeze(component)];
}

/** Some nodes send a lone value where there is only one. */
function listOf(value: unknown): readonly string[] {
  return Object.freeze([value ?? []].flat().filter((one) => typeof one === 'string'));
}
