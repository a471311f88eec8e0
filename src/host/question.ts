import { canonicalShapes, indexedValues } from '../component/canonical-shape.js';
import { readSearch, searchText, searchWords } from '../component/search-text.js';
import { isNoShape, shapeIri, WRITE_SHAPES } from '../component/shape-names.js';
import {
  type ComponentMetadata,
  type Constraints,
  TRUSTS,
  type Trust,
  trustIn,
} from './component-metadata.js';
import { HostError, needed } from './host-error.js';

/** A query in the two parts that every node can be asked with. */
export interface Question {
  /** The body of `POST /component/query`, as JSON. Equal questions have equal bodies. */
  readonly body: string;
  /** Whether a component is among those asked for. Nodes may ignore constraints, so each answer is filtered with it. */
  readonly test: (component: ComponentMetadata) => boolean;
}

const TEXTS = ['uri', 'label', 'description'] as const;
const LISTS = ['author', 'tag', 'shapes'] as const;
const NAMES: readonly string[] = [...TEXTS, 'version', 'latest', ...LISTS, 'q', 'source', 'trust'];

/**
 * @throws HostError `request` for a constraint that there is not, which would find everything if it was ignored, and for a
 * shape that is neither an IRI nor a name with a known prefix; `network` when the
 * module that compares versions cannot be loaded
 */
export async function questionOf(constraints: Constraints): Promise<Question> {
  const unknown = Object.keys(constraints).find((name) => !NAMES.includes(name));
  if (unknown !== undefined) {
    throw new HostError('request', `there is no constraint ${unknown}; there are ${NAMES.join(', ')}`);
  }
  const written = valuesOf(constraints.shapes);
  const none = written.find(isNoShape);
  if (none !== undefined) throw new HostError('request', `there is no shape ${none}: ${WRITE_SHAPES}`);
  const meant = { ...constraints, shapes: written.map(shapeIri) };
  return { body: bodyOf(meant), test: await testOf(meant) };
}

/**
 * What the specification names, and in the form that existing nodes understand: they compare `author` and `tag` as
 * strings, `shapes` as arrays, `latest` as a boolean, and some take a word that they do not know for one that no
 * component has. So of several authors or tags one is asked for, and words, ranges of versions, sources and trust are not.
 */
function bodyOf(constraints: Constraints): string {
  const { uri, label, description, version, latest } = constraints;
  const shapes = valuesOf(constraints.shapes);
  return JSON.stringify({
    uri,
    label,
    description,
    version: version !== undefined && isSingleVersion(version) ? version : undefined,
    latest: latest === undefined ? undefined : isTrue(latest),
    author: valuesOf(constraints.author)[0],
    tag: valuesOf(constraints.tag)[0],
    shapes: shapes.length === 0 ? undefined : shapes,
  });
}

async function testOf(constraints: Constraints): Promise<Question['test']> {
  const { version, latest, q = '', source, trust } = constraints;
  if (trust !== undefined && !TRUSTS.includes(trust)) {
    throw new HostError('request', `there is no trust ${trust}; there are ${TRUSTS.join(', ')}`);
  }
  const isVersion = version === undefined ? () => true : await versionTest(version);
  return (component) =>
    TEXTS.every((name) => constraints[name] === undefined || component[name] === constraints[name]) &&
    LISTS.every((name) => hasAll(component, name, valuesOf(constraints[name]))) &&
    (latest === undefined || component.latest === isTrue(latest)) &&
    (version === undefined || (component.version !== undefined && isVersion(component.version))) &&
    (source === undefined || component.source?.url === source) &&
    (trust === undefined || isTrusted(trust, trustIn(component))) &&
    matchesSearch(component, q);
}

function hasAll(
  component: ComponentMetadata,
  name: (typeof LISTS)[number],
  wanted: readonly string[],
): boolean {
  const values = indexedValues(component, name);
  return (name === 'shapes' ? canonicalShapes(wanted) : wanted).every((one) => values.includes(one));
}

/** What was posted to a node is as good as what its operator has named. */
function isTrusted(wanted: Trust, trust: Trust): boolean {
  return trust === wanted || (wanted === 'configured' && trust === 'own');
}

/** Most questions name no version. */
async function versionTest(wanted: string): Promise<(version: string) => boolean> {
  const loading = import('../component/version-range.js');
  return (await needed(loading, 'compares versions')).compileVersion(wanted);
}

function isSingleVersion(version: string): boolean {
  return /^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version);
}

/** As nodes search: each word is the name of a shape that the component renders, or occurs in its texts. */
function matchesSearch(component: ComponentMetadata, q: string): boolean {
  if (q.trim() === '') return true;
  const words = searchWords(
    readSearch(q, (shape) => indexedValues(component, 'shapes').includes(shape)).words,
  );
  const text = words.length === 0 ? '' : searchText(component);
  return words.every((word) => text.includes(word));
}

function valuesOf(value: string | readonly string[] | undefined): readonly string[] {
  return [value ?? []].flat();
}

/** Pages without types may write it as text. */
function isTrue(latest: unknown): boolean {
  return latest === true || latest === 'true';
}
