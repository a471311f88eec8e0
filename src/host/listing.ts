import { parseIntegrity } from '../component/integrity.js';
import type { Invocation } from './capability.js';
import {
  type ComponentMetadata,
  type ComponentPin,
  type ComponentSource,
  type ModuleFile,
  TRUSTS,
} from './component-metadata.js';
import { parseJson } from './fetching.js';
import { HostError } from './host-error.js';

/** What stands before the names of fields where an object does not say it itself (`@type`). */
const VOCABULARY = 'http://semcom.digita.ai/voc#';

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Reads a listing in JSON, as any make of node writes it: with plain names, or with the specification's (section
 * "Component metadata"), whose values stand under `@id` and `@value`. Where an object has both, the plain ones count.
 * Entries that no host could use are passed over.
 * @throws HostError `syntax` for what is no listing
 */
export function readListing(text: string, from: string): ComponentMetadata[] {
  return readList(text, from).flatMap(readComponent);
}

/** The objects in a list. @throws HostError `syntax` for what is none */
export function readList(text: string, from: string): JsonObject[] {
  const listing = parseJson(text, from);
  if (!Array.isArray(listing))
    throw new HostError('syntax', `${from} answered with something that is not a list`);
  return listing.filter(isObject);
}

/** Reads one entry; none where no host could use it. */
export function readComponent(item: JsonObject): ComponentMetadata[] {
  const namespace = namespaceOf(item);
  const values = (field: string) => textsIn(item[field] ?? item[namespace + field]);
  const uri = values('uri')[0] ?? textsIn(item['@id']).map(withoutBase)[0] ?? '';
  if (!isWeb(uri)) return [];
  const [label = uri] = values('label');
  const [description] = values('description');
  const [version] = values('version');
  const [latest] = values('latest');
  const component: ComponentMetadata = {
    uri,
    label,
    description,
    version,
    latest: latest === undefined ? undefined : latest === 'true',
    author: Object.freeze(values('author')),
    tag: Object.freeze(values('tag')),
    shapes: Object.freeze([...values('shapes'), ...values('shape')]),
    ...capabilitiesIn(item.capability),
    ...integrityIn(values('integrity')),
    ...pinIn(item.pin),
    source: item.source === undefined ? undefined : sourceIn(item.source),
    since: typeof item.since === 'string' ? item.since : undefined,
  };
  return [Object.freeze(component)];
}

/** Values that no browser could check promise nothing (Subresource Integrity, section 3.3.2). */
function integrityIn(values: readonly string[]): Pick<ComponentMetadata, 'integrity'> {
  const integrity = values.join(' ');
  return parseIntegrity(integrity) ? { integrity } : {};
}

function pinIn(pin: unknown): { readonly pin?: ComponentPin } {
  if (!isObject(pin) || typeof pin.integrity !== 'string' || !parseIntegrity(pin.integrity)) return {};
  const { integrity, changed, files, unpinned } = pin;
  return {
    pin: Object.freeze({
      integrity,
      changed: typeof changed === 'string' ? changed : undefined,
      files: Array.isArray(files) ? files.filter(isFile) : undefined,
      unpinned: Array.isArray(unpinned) ? unpinned.map(String) : undefined,
    }),
  };
}

function isFile(file: unknown): file is ModuleFile {
  return isObject(file) && typeof file.uri === 'string' && typeof file.integrity === 'string';
}

const KNOWN: readonly unknown[] = [
  'ElementInvocation',
  'FragmentInvocation',
  'ac:UriTemplateInvocation',
] satisfies Invocation['type'][];

/** Invocations of kinds that are not known are dropped; what they hold is read when one of them is used. */
function capabilitiesIn(value: unknown): Pick<ComponentMetadata, 'capability'> {
  if (!Array.isArray(value)) return {};
  const capability = value
    .filter(isObject)
    .map(({ invocation, ...others }) =>
      Array.isArray(invocation)
        ? { ...others, invocation: invocation.filter((one) => isObject(one) && KNOWN.includes(one.type)) }
        : others,
    );
  return { capability };
}

const KINDS: readonly ComponentSource['kind'][] = ['local', 'pod', 'peer', 'sample'];

/** What is not understood of it is read as what is trusted least. */
function sourceIn(source: unknown): ComponentSource {
  const { url, document, kind, trust } = isObject(source) ? source : {};
  return Object.freeze({
    url: typeof url === 'string' ? url : '',
    document: typeof document === 'string' ? document : undefined,
    kind: KINDS.find((one) => one === kind) ?? 'peer',
    trust: TRUSTS.find((one) => one === trust) ?? 'learned',
  });
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
    const bare = isObject(one) ? (one['@value'] ?? one['@id']) : one;
    if (typeof bare === 'boolean') return [String(bare)];
    return typeof bare === 'string' ? [bare] : [];
  });
}

function isWeb(uri: string): boolean {
  return /^https?:\/\//i.test(uri);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
