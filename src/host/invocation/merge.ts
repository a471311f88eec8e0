import { grouped } from '../../lib/grouped.js';
import type { Quad, Term } from '../quad.js';

type Triple = Pick<Quad, 'subject' | 'predicate' | 'object'>;

/** Comparisons of blank nodes for one edit: what takes more is refused, instead of holding up the page. */
const STEPS = 200_000;

/**
 * What becomes of a document when somebody has edited a part of it: what the part held before and does not hold any more is
 * taken away, what is new in it is added, and all else stays. Blank nodes of the part are those of the document that say
 * at least the same.
 * @param isShared has somebody else changed the document since the part was taken from it? Then what is taken away may be gone
 * already, and a blank node in the same place is the one that is meant, although it says something else by now. What both have
 * changed is there twice.
 * @throws TypeError when something that was taken away is not found in the document, or, of a shared one, when a blank node
 * that was edited is gone
 */
export function mergeEdit(
  document: readonly Quad[],
  before: readonly Quad[],
  after: readonly Quad[],
  isShared = false,
): Quad[] {
  const names = fresh(document);
  const likenesses = [{ hasName: true, isLike: saysNoMore }, { isLike: saysNoMore }];
  if (isShared) likenesses.push({ isLike: isThere });
  const inDocument = pairs(before, document, likenesses);
  const old = before.map((quad) => renamed(quad, (label) => names(`b ${label}`, inDocument.get(label))));
  const inBefore = pairs(after, before, [
    { hasName: true, isLike: isThere },
    { isLike: saysTheSame },
    { isLike: isThere },
  ]);
  const now = after.map((quad) =>
    renamed(quad, (label) => {
      const earlier = inBefore.get(label);
      return earlier === undefined ? names(`a ${label}`) : names(`b ${earlier}`, inDocument.get(earlier));
    }),
  );
  const removed = without(old, keysOf(now));
  const added = without(now, keysOf(old));
  const [missing] = without(removed, keysOf(document));
  if (missing && !isShared) {
    throw new TypeError(
      `the element writes the data in another way, so that ${tripleKey(missing)} is not found in it`,
    );
  }
  if (isShared && added.some(isAbout(blanksOf(old), blanksOf(document)))) {
    throw new TypeError('somebody else has taken away what was edited');
  }
  const kept = without(document, keysOf(removed));
  return withoutOrphans([...kept, ...without(added, keysOf(kept))], document);
}

function blanksOf(quads: readonly Quad[]): ReadonlySet<string> {
  const terms = quads.flatMap(({ subject, object }) => [subject, object]);
  return new Set(terms.filter(isBlank).map(({ value }) => value));
}

/** Is a triple about a blank node that the part had, and the document has not? */
function isAbout(known: ReadonlySet<string>, there: ReadonlySet<string>): (quad: Quad) => boolean {
  return ({ subject, object }) =>
    [subject, object].some((term) => isBlank(term) && known.has(term.value) && !there.has(term.value));
}

/** Names of blank nodes by what is to be named: given ones, or such as the document does not have. */
function fresh(document: readonly Quad[]): (what: string, given?: string) => string {
  const taken = new Set(document.flatMap(({ subject, object }) => [subject.value, object.value]));
  const names = new Map<string, string>();
  let n = 0;
  return (what, given) => {
    const known = given ?? names.get(what);
    if (known !== undefined) return known;
    while (taken.has(`new${n}`)) n += 1;
    names.set(what, `new${n}`);
    taken.add(`new${n}`);
    return `new${n}`;
  };
}

/** A blank node that nothing refers to any more has gone with what referred to it. */
function withoutOrphans(quads: readonly Quad[], document: readonly Quad[]): Quad[] {
  const wereReferred = new Set(document.map(({ object }) => keyOf(object)));
  const referrers = new Map<string, number>();
  const count = ({ object }: Quad, more: number) =>
    referrers.set(keyOf(object), (referrers.get(keyOf(object)) ?? 0) + more);
  for (const quad of quads) count(quad, 1);
  const isOrphan = (term: Term) =>
    isBlank(term) && wereReferred.has(keyOf(term)) && !referrers.get(keyOf(term));
  const about = bySubject(quads);
  const gone = new Set(quads.flatMap(({ subject }) => (isOrphan(subject) ? [keyOf(subject)] : [])));
  // The set grows while it is gone through.
  for (const orphan of gone)
    for (const quad of about.get(orphan) ?? []) {
      count(quad, -1);
      if (isOrphan(quad.object)) gone.add(keyOf(quad.object));
    }
  return quads.filter(({ subject }) => !gone.has(keyOf(subject)));
}

/** May a blank node of one graph be that of another one? */
interface Likeness {
  /** Must it have the same name? */
  readonly hasName?: boolean;
  readonly isLike: Comparison;
}

type Comparison = (one: Term, other: Term, graphs: Graphs) => boolean;

type BySubject = ReadonlyMap<string, readonly [Quad, ...Quad[]]>;

/** Two graphs by their subjects, and how often blank nodes of them have been compared. */
interface Graphs {
  readonly one: BySubject;
  readonly other: BySubject;
  readonly steps: { count: number };
}

/** In the same place is like enough, where nothing likelier is there. */
const isThere: Comparison = () => true;

const saysNoMore: Comparison = (one, other, graphs) => says(one, other, graphs, new Set());

const saysTheSame: Comparison = (one, other, { one: first, other: second, steps }) =>
  says(one, other, { one: first, other: second, steps }, new Set()) &&
  says(other, one, { one: second, other: first, steps }, new Set());

/** Does the other graph say of `other` all that the one says of `one`? */
function says(one: Term, other: Term, graphs: Graphs, above: Set<string>): boolean {
  step(graphs);
  if (one.termType !== 'BlankNode') return keyOf(one) === keyOf(other);
  if (other.termType !== 'BlankNode') return false;
  if (above.has(one.value)) return true;
  above.add(one.value);
  const there = graphs.other.get(keyOf(other)) ?? [];
  const isSaid = (graphs.one.get(keyOf(one)) ?? []).every(({ predicate, object }) =>
    there.some(
      (quad) => quad.predicate.value === predicate.value && says(object, quad.object, graphs, above),
    ),
  );
  above.delete(one.value);
  return isSaid;
}

function step({ steps }: Graphs): void {
  steps.count += 1;
  if (steps.count > STEPS) throw new TypeError('its blank nodes are too many to tell apart');
}

/** The blank nodes that one subject leads to, found by predicate and by name. */
class Place {
  readonly #indexes: ReadonlyMap<Quad, number>;
  readonly #groups = new Map<string, Set<Quad>>();
  readonly #lengths = new Set<number>();

  constructor(quads: readonly Quad[]) {
    this.#indexes = new Map(quads.map((quad, index) => [quad, index]));
    for (const quad of quads) {
      const name = bare(quad.object);
      this.#lengths.add(name.length);
      for (const key of [quad.predicate.value, `${quad.predicate.value} ${name}`])
        this.#groups.set(key, (this.#groups.get(key) ?? new Set()).add(quad));
    }
  }

  /** Those of a predicate that have the name of a node, where one is given; parsers put something of their own before it. */
  groups(predicate: Term, named?: Term): Set<Quad>[] {
    const name = named && bare(named);
    const lengths = [...this.#lengths].filter((length) => name !== undefined && length <= name.length);
    const ends = name === undefined ? [''] : lengths.map((length) => ` ${name.slice(name.length - length)}`);
    return ends.flatMap((end) => this.#groups.get(predicate.value + end) ?? []);
  }

  earliest(quads: readonly Quad[]): Quad | undefined {
    const indexOf = (quad: Quad) => this.#indexes.get(quad) ?? 0;
    return quads.toSorted((one, other) => indexOf(one) - indexOf(other))[0];
  }
}

/** Which blank node of the other graph each of the one is: in the same place, and the likest there. */
function pairs(
  one: readonly Quad[],
  other: readonly Quad[],
  likenesses: readonly Likeness[],
): ReadonlyMap<string, string> {
  const graphs: Graphs = { one: bySubject(one), other: bySubject(other), steps: { count: 0 } };
  const found = new Map<string, string>();
  const used = new Set<string>();
  const follow = (subject: Term, there: Term) => {
    const ours = (graphs.one.get(keyOf(subject)) ?? []).filter(({ object }) => isBlank(object));
    const theirs = new Place((graphs.other.get(keyOf(there)) ?? []).filter(({ object }) => isBlank(object)));
    for (const { hasName, isLike } of likenesses) {
      for (const { predicate, object } of ours) {
        if (found.has(object.value)) continue;
        const groups = theirs.groups(predicate, hasName ? object : undefined);
        const firsts = groups.flatMap((group) => {
          step(graphs);
          // What is used stays so, and is not looked at again.
          for (const quad of group)
            if (used.has(quad.object.value)) group.delete(quad);
            else if (isLike(object, quad.object, graphs)) return [quad];
          return [];
        });
        const match = theirs.earliest(firsts);
        if (!match) continue;
        found.set(object.value, match.object.value);
        used.add(match.object.value);
        follow(object, match.object);
      }
    }
  };
  for (const [{ subject }] of graphs.one.values()) if (!isBlank(subject)) follow(subject, subject);
  return found;
}

function isBlank({ termType }: Term): boolean {
  return termType === 'BlankNode';
}

/** Without what the parser of this library puts before a name, and as this library writes it. */
function bare({ value }: Term): string {
  return value.replace(/^b\d+_/, '').replace(/[^A-Za-z0-9]/g, '_');
}

function bySubject(quads: readonly Quad[]): BySubject {
  return grouped(quads, ({ subject }) => keyOf(subject));
}

function renamed({ subject, predicate, object, graph }: Quad, nameOf: (label: string) => string): Quad {
  const named = (term: Term) => (isBlank(term) ? { termType: 'BlankNode', value: nameOf(term.value) } : term);
  return { subject: named(subject), predicate, object: named(object), graph };
}

function without(quads: readonly Quad[], keys: ReadonlySet<string>): Quad[] {
  return quads.filter((quad) => !keys.has(tripleKey(quad)));
}

function keysOf(quads: readonly Triple[]): Set<string> {
  return new Set(quads.map(tripleKey));
}

function tripleKey({ subject, predicate, object }: Triple): string {
  return `${keyOf(subject)} ${keyOf(predicate)} ${keyOf(object)}`;
}

const STRING = 'http://www.w3.org/2001/XMLSchema#string';

function keyOf({ termType, value, language, datatype }: Term): string {
  if (termType === 'BlankNode') return `_:${value}`;
  if (termType !== 'Literal') return `<${value}>`;
  const type = language ? `@${language.toLowerCase()}` : `^^<${datatype?.value ?? STRING}>`;
  return `${JSON.stringify(value)}${type}`;
}
