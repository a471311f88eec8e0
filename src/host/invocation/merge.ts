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
  const likenesses = [sameNameSaysNoMore, saysNoMore, ...(isShared ? [isThere] : [])];
  const inDocument = pairs(before, document, likenesses);
  const old = before.map((quad) => renamed(quad, (label) => names(`b ${label}`, inDocument.get(label))));
  const inBefore = pairs(after, before, [sameName, saysTheSame, isThere]);
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
  return (what, given) => {
    const known = given ?? names.get(what);
    if (known !== undefined) return known;
    let n = names.size;
    while (taken.has(`new${n}`)) n += 1;
    names.set(what, `new${n}`);
    taken.add(`new${n}`);
    return `new${n}`;
  };
}

/** A blank node that nothing refers to any more has gone with what referred to it. */
function withoutOrphans(quads: readonly Quad[], document: readonly Quad[]): Quad[] {
  const wereReferred = new Set(document.map(({ object }) => keyOf(object)));
  const about = bySubject(quads);
  const referrers = grouped(quads, ({ object }) => keyOf(object));
  const isOrphan = (key: string) => key[0] === '_' && wereReferred.has(key) && !referrers.get(key)?.length;
  const gone = new Set([...about.keys()].filter(isOrphan));
  // The set grows while it is gone through.
  for (const orphan of gone)
    for (const { object } of about.get(orphan) ?? []) {
      const key = keyOf(object);
      referrers.get(key)?.pop();
      if (isOrphan(key)) gone.add(key);
    }
  return quads.filter(({ subject }) => !gone.has(keyOf(subject)));
}

/** May a blank node of one graph be that of another one? */
type Likeness = (one: Term, other: Term, graphs: Graphs) => boolean;

/** Two graphs by their subjects, and how often blank nodes of them have been compared. */
interface Graphs {
  readonly one: ReadonlyMap<string, readonly Quad[]>;
  readonly other: ReadonlyMap<string, readonly Quad[]>;
  readonly steps: { count: number };
}

/** Parsers put something of their own before the names that they read. */
const sameName: Likeness = (one, other) => bare(one).endsWith(bare(other));

/** In the same place is like enough, where nothing likelier is there. */
const isThere: Likeness = () => true;

const saysNoMore: Likeness = (one, other, graphs) => says(one, other, graphs, new Set());

const sameNameSaysNoMore: Likeness = (one, other, graphs) =>
  sameName(one, other, graphs) && saysNoMore(one, other, graphs);

const saysTheSame: Likeness = (one, other, { one: first, other: second, steps }) =>
  says(one, other, { one: first, other: second, steps }, new Set()) &&
  says(other, one, { one: second, other: first, steps }, new Set());

/** Does the other graph say of `other` all that the one says of `one`? */
function says(one: Term, other: Term, graphs: Graphs, above: ReadonlySet<string>): boolean {
  graphs.steps.count += 1;
  if (graphs.steps.count > STEPS) throw new TypeError('its blank nodes are too many to tell apart');
  if (one.termType !== 'BlankNode') return keyOf(one) === keyOf(other);
  if (other.termType !== 'BlankNode') return false;
  if (above.has(one.value)) return true;
  const within = new Set([...above, one.value]);
  const there = graphs.other.get(keyOf(other)) ?? [];
  return (graphs.one.get(keyOf(one)) ?? []).every(({ predicate, object }) =>
    there.some(
      (quad) => quad.predicate.value === predicate.value && says(object, quad.object, graphs, within),
    ),
  );
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
    const theirs = (graphs.other.get(keyOf(there)) ?? []).filter(({ object }) => isBlank(object));
    for (const isLike of likenesses) {
      for (const { predicate, object } of ours) {
        if (found.has(object.value)) continue;
        const match = theirs.find(
          (quad) =>
            quad.predicate.value === predicate.value &&
            !used.has(quad.object.value) &&
            isLike(object, quad.object, graphs),
        );
        if (!match) continue;
        found.set(object.value, match.object.value);
        used.add(match.object.value);
        follow(object, match.object);
      }
    }
  };
  for (const { subject } of one) if (!isBlank(subject)) follow(subject, subject);
  return found;
}

function isBlank({ termType }: Term): boolean {
  return termType === 'BlankNode';
}

/** Without what the parser of this library puts before a name, and as this library writes it. */
function bare({ value }: Term): string {
  return value.replace(/^b\d+_/, '').replace(/[^A-Za-z0-9]/g, '_');
}

function bySubject(quads: readonly Quad[]): ReadonlyMap<string, readonly Quad[]> {
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
