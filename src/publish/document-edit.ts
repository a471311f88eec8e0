import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { Field } from '../component/fields.js';
import { parseIntegrity } from '../component/integrity.js';
import { differingFields, type Metadata } from '../component/metadata.js';
import { nodeKey } from '../component/reading/capability-nodes.js';
import { componentsFromQuads } from '../component/reading/descriptions.js';
import { compareVersions } from '../component/versions.js';
import { RDF_TYPE, type Vocabulary } from '../component/vocabulary.js';
import { componentQuads } from '../component/writing/component-quads.js';
import { grouped } from '../lib/grouped.js';
import { error, type Finding } from './finding.js';
import { turtleText } from './turtle-text.js';

/** What an edit of a document does to one component. */
export interface ComponentChange {
  readonly kind: 'added' | 'changed' | 'unchanged' | 'removed';
  /** As the document describes it afterwards; what is removed, as before. */
  readonly component: Metadata;
  /** As the document describes it now, unless it is added. */
  readonly before?: Metadata;
  /** Those that differ. */
  readonly fields: readonly Field[];
}

/** A document after an edit, and what has become of its components. */
export interface DocumentEdit {
  /** Turtle; undefined when nothing is left that the document could say. */
  readonly text: string | undefined;
  readonly changes: readonly ComponentChange[];
}

/**
 * Puts components into a metadata document. Each takes the place of the one with its uri; those with its label are other versions of
 * it (`versionGroup` has the same rule). Whatever else the document says stays; comments do not.
 * @param before the document's quads, in one graph; none for a document that is not there yet
 * @param replace does a new version take the place of the one before? Otherwise that one stays, and is no longer the latest
 */
export function putComponents(
  before: readonly Quad[],
  components: readonly Metadata[],
  vocabulary: Vocabulary,
  replace = false,
): DocumentEdit {
  const earlier = componentsFromQuads(before, vocabulary).components;
  const changes = components.flatMap((component) => changesBy(component, earlier, replace));
  let rest = before;
  for (const change of changes) {
    if (!change.before) continue;
    const subjects = subjectsOf([change.before.uri], rest, vocabulary);
    const isSaidBefore = (quad: Quad) => subjects.has(nodeKey(quad.subject)) && isOwnTerm(quad, vocabulary);
    rest = renamed(without(rest, isSaidBefore, vocabulary), subjects, change.component.uri);
  }
  const graph = DataFactory.defaultGraph();
  // The nodes of capabilities have names that are good within the document only.
  const written = changes.flatMap(({ component }, i) =>
    componentQuads(component, vocabulary, { subject: component.uri, graph, root: String(i) }),
  );
  return { text: turtleText([...written, ...rest], vocabulary), changes };
}

/** Takes components out of a metadata document, with all that is said of them. */
export function removeComponents(
  before: readonly Quad[],
  isRemoved: (component: Metadata) => boolean,
  vocabulary: Vocabulary,
): DocumentEdit {
  const removed = componentsFromQuads(before, vocabulary).components.filter(isRemoved);
  const uris = removed.map(({ uri }) => uri);
  const subjects = subjectsOf(uris, before, vocabulary);
  const rest = without(before, ({ subject }) => subjects.has(nodeKey(subject)), vocabulary);
  return {
    text: rest.length === 0 ? undefined : turtleText(rest, vocabulary),
    changes: removed.map((component) => ({ kind: 'removed', component, before: component, fields: [] })),
  };
}

/** Is a component an earlier or later form of another one in the same document? */
export function isSameComponent(one: Metadata, other: Metadata): boolean {
  return one.uri === other.uri || one.label === other.label;
}

/**
 * What is wrong with an edit: other bytes of a module under a version that stays. Nodes keep the bytes that a version
 * had first, and from then on hosts refuse the component (design, section 15).
 */
export function changeFindings(changes: readonly ComponentChange[]): Finding[] {
  return changes
    .filter(hasOtherBytes)
    .map(({ component: { label, version } }) =>
      version === undefined ? error('noVersionToRaise', { label }) : error('sameVersion', { label, version }),
    );
}

function hasOtherBytes({ before, component }: ComponentChange): boolean {
  if (!before || before.uri !== component.uri || before.version !== component.version) return false;
  const [was, is] = [before.integrity, component.integrity].map((text) => parseIntegrity(text ?? ''));
  // Hashes of two algorithms cannot be compared.
  if (!was || !is || was.algorithm !== is.algorithm) return false;
  return !is.digests.some((digest) => was.digests.includes(digest));
}

/** What putting a component does to it, and to its other versions. */
function changesBy(
  component: Metadata,
  earlier: readonly Metadata[],
  replace: boolean,
): readonly ComponentChange[] {
  const versions = earlier.filter((one) => isSameComponent(one, component));
  const before = replacedBy(component, versions, replace);
  const others = versions.filter((one) => one !== before && one.latest !== false);
  if (component.latest !== true) return [changeTo(component, before)];
  // A release of an older line: the latest stays the latest.
  const isOlder = others.some((one) => compareVersions(one.version, component.version) > 0);
  if (isOlder) return [changeTo({ ...component, latest: false }, before)];
  return [changeTo(component, before), ...others.map((one) => changeTo({ ...one, latest: false }, one))];
}

/** Whose place a component takes: that of its uri; that of its version at another uri; or else, if so wanted, the latest. */
function replacedBy(
  { uri, version }: Metadata,
  versions: readonly Metadata[],
  replace: boolean,
): Metadata | undefined {
  return (
    versions.find((one) => one.uri === uri) ??
    versions.find((one) => version !== undefined && one.version === version) ??
    (replace ? (versions.find(({ latest }) => latest === true) ?? versions[0]) : undefined)
  );
}

function changeTo(component: Metadata, before: Metadata | undefined): ComponentChange {
  if (!before) return { kind: 'added', component, fields: [] };
  const fields = differingFields(before, component);
  return { kind: fields.length === 0 ? 'unchanged' : 'changed', component, before, fields };
}

/** What a document calls components: nodes as keys. */
function subjectsOf(
  uris: readonly string[],
  quads: readonly Quad[],
  { predicates }: Vocabulary,
): ReadonlySet<string> {
  const meant = new Set(uris);
  const isAbout = ({ subject, predicate, object }: Quad) =>
    meant.has(predicate.value === predicates.uri ? object.value : subject.value);
  return new Set(quads.filter(isAbout).map(({ subject }) => nodeKey(subject)));
}

/** Is it what the vocabulary says of a component? */
function isOwnTerm({ predicate, object }: Quad, { fields, predicates, component }: Vocabulary): boolean {
  const { value } = predicate;
  return (
    fields.has(value) || value === predicates.capability || (value === RDF_TYPE && object.value === component)
  );
}

/** Drops quads, and the nodes that only they have led to: blank nodes, and those that a capability consists of. */
function without(
  quads: readonly Quad[],
  isDropped: (quad: Quad) => boolean,
  { predicates: { capability } }: Vocabulary,
): Quad[] {
  const removed = quads.filter(isDropped);
  const gone = new Set(removed);
  const bySubject = grouped(quads, ({ subject }) => nodeKey(subject));
  const reached = new Set<string>();
  const waiting = [...removed];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { subject, predicate, object } = next;
    const leads =
      object.termType === 'BlankNode' || predicate.value === capability || reached.has(nodeKey(subject));
    const key = nodeKey(object);
    if (!leads || reached.has(key) || !bySubject.has(key)) continue;
    reached.add(key);
    waiting.push(...(bySubject.get(key) ?? []));
  }
  // What stays keeps the nodes that it leads to, and these keep others.
  const staying = quads.filter((quad) => !gone.has(quad) && !reached.has(nodeKey(quad.subject)));
  for (const { object } of staying) {
    const key = nodeKey(object);
    if (!reached.delete(key)) continue;
    for (const quad of bySubject.get(key) ?? []) if (!gone.has(quad)) staying.push(quad);
  }
  return quads.filter((quad) => !gone.has(quad) && !reached.has(nodeKey(quad.subject)));
}

/** What else a document says of a component is said of its next version, too. */
function renamed(quads: readonly Quad[], keys: ReadonlySet<string>, uri: string): Quad[] {
  const named = <T extends Quad['subject'] | Quad['object']>(term: T) =>
    keys.has(nodeKey(term)) ? DataFactory.namedNode(uri) : term;
  return quads.map(
    ({ subject, predicate, object }) =>
      DataFactory.quad(named(subject) as never, predicate as never, named(object) as never) as Quad,
  );
}
