import type { Capability } from '../component/capability.js';
import { parseIntegrity } from '../component/integrity.js';
import type { Pin } from '../component/pin.js';
import { TRUSTS } from '../component/source.js';
import type { ComponentMetadata, ComponentSource, Match } from './component-metadata.js';
import { parseJson } from './fetching.js';
import { HostError } from './host-error.js';

/** What stands before the names of fields where an object does not say it itself (`@type`). */
const VOCABULARY = 'http://semcom.digita.ai/voc#';

type JsonObject = Readonly<Record<string, unknown>>;

/** A component as a node lists it; of an answer about what fits some data, with what it says of that. */
export type Listed = ComponentMetadata & Partial<Pick<Match, 'reasons' | 'missing'>>;

/**
 * Reads a listing in JSON, as any make of node writes it: with plain names, or with the specification's (section
 * "Component metadata"), whose values stand under `@id` and `@value`. Where an object has both, the plain ones count.
 * Entries that no host could use are passed over.
 * @throws HostError `syntax` for what is no list
 */
export function readListing(text: string, from: string): Listed[] {
  return readList(text, from).flatMap(readComponent);
}

/** Reads what `POST /match` answers. @throws HostError `syntax` for what is no list */
export function readMatches(text: string, from: string): Listed[] {
  return readList(text, from).flatMap(({ component, because, missing }) =>
    objects([component])
      .flatMap(readComponent)
      .map((one) => ({
        ...one,
        reasons: objects(because).map(({ code, text }) => ({ code: String(code), text: String(text) })),
        missing: objects([missing]).map(({ types, predicates }) => ({
          types: textsIn(types),
          predicates: textsIn(predicates),
        }))[0],
      })),
  );
}

function readList(text: string, from: string): JsonObject[] {
  const list = parseJson(text, from);
  if (Array.isArray(list)) return objects(list);
  throw new HostError('syntax', `${from} answered with something that is not a list`);
}

function readComponent(item: JsonObject): Listed[] {
  const namespace = namespaceOf(item);
  const values = (field: string) => textsIn(item[field] ?? item[namespace + field]);
  const uri = values('uri')[0] ?? textsIn(item['@id']).map(withoutBase)[0] ?? '';
  if (!isWeb(uri)) return [];
  const [label = uri] = values('label');
  const [latest] = values('latest');
  return [
    {
      uri,
      label,
      description: values('description')[0],
      version: values('version')[0],
      latest: latest === undefined ? undefined : latest === 'true',
      author: values('author'),
      tag: values('tag'),
      shapes: [...values('shapes'), ...values('shape')],
      // The node has checked them. What no page knows how to invoke is not invoked.
      capability: Array.isArray(item.capability) ? (item.capability as readonly Capability[]) : undefined,
      integrity: checkable(values('integrity').join(' ')),
      pin: pinIn(item.pin),
      source: sourceIn(item.source),
      since: typeof item.since === 'string' ? item.since : undefined,
    },
  ];
}

/** Values that no browser could check promise nothing (Subresource Integrity, section 3.3.2). */
function checkable(integrity: unknown): string | undefined {
  return typeof integrity === 'string' && parseIntegrity(integrity) ? integrity : undefined;
}

function pinIn(value: unknown): Pin | undefined {
  const [pin] = objects([value]);
  return pin && checkable(pin.integrity) ? (pin as object as Pin) : undefined;
}

/** What is not understood of it is read as what is trusted least. */
function sourceIn(value: unknown): ComponentSource | undefined {
  if (value === undefined) return undefined;
  const [source] = objects([value]);
  const trust = TRUSTS.find((one) => one === source?.trust) ?? 'learned';
  return { url: '', kind: 'peer', ...source, trust };
}

/** The vocabulary is a setting of each node; its class in `@type` tells which one the object is written in. */
function namespaceOf(item: JsonObject): string {
  const type = textsIn(item['@type']).find((one) => one.endsWith('#component'));
  return type === undefined ? VOCABULARY : type.slice(0, -'component'.length);
}

/**
 * In listings, `@id` is the uri behind the node's path `/c/`; some nodes write the uri itself. Which base a node behind
 * a proxy writes is unknown, so an absolute URL after the first `/c/` is what counts.
 */
function withoutBase(id: string): string {
  const at = id.indexOf('/c/');
  const rest = at < 0 ? '' : id.slice(at + '/c/'.length);
  return isWeb(rest) ? rest : id;
}

/** The values under one key, alone or in a list, as they are or as JSON-LD writes them. */
function textsIn(value: unknown): string[] {
  return [value ?? []].flat().flatMap((one: unknown) => {
    const [object] = objects([one]);
    const bare = object ? (object['@value'] ?? object['@id']) : one;
    return typeof bare === 'boolean' || typeof bare === 'string' ? [String(bare)] : [];
  });
}

function isWeb(uri: string): boolean {
  return /^https?:\/\//i.test(uri);
}

function objects(values: unknown): JsonObject[] {
  const all = Array.isArray(values) ? values : [];
  return all.filter((one) => typeof one === 'object' && one !== null && !Array.isArray(one));
}
