import tables from './close-classes.json' with { type: 'json' };
import { irisInRow, shapeIri, shapeName } from './shape-names.js';

interface Tables {
  /**
   * For each general class, the classes whose members are all members of the general one, by their vocabularies
   * (rdfs:subClassOf, or the hierarchy of schema.org). A component for the general class shows such data without what is
   * special about it. A class without a prefix belongs to the same vocabulary.
   */
  readonly subclasses: Readonly<Record<string, string>>;
  /** Where it is said that classes of two vocabularies are alike, or that the one was made for what the other is used for. */
  readonly sources: Readonly<Record<string, string>>;
  /** Classes of different vocabularies for much the same things: which of `sources` says so, and what gets lost either way. */
  readonly alike: readonly {
    readonly one: string;
    readonly others: string;
    readonly source: string;
    readonly loss: string;
  }[];
}
const TABLES: Tables = tables;

/** By canonical IRI of a class, those that are more general. */
const moreGeneralThan = new Map<string, readonly string[]>();
for (const [general, special] of Object.entries(TABLES.subclasses))
  for (const iri of irisInRow(general, special))
    moreGeneralThan.set(iri, [...(moreGeneralThan.get(iri) ?? []), shapeIri(general)]);

/** A class that a component may render although data is of another one. */
interface CloseClass {
  readonly name: string;
  /** The class of the data. */
  readonly to: string;
  /** Steps through the tables: the fewer, the closer. */
  readonly steps: number;
  /** What gets lost, as part of a sentence, and who says that the classes are close: a URL. */
  readonly loss: string;
  readonly source: string;
}

type Step = Omit<CloseClass, 'to' | 'steps'>;

const steps = new Map<string, readonly Step[]>();
const add = (from: string, step: Step) => steps.set(from, [...(steps.get(from) ?? []), step]);
for (const [source, general] of moreGeneralThan) {
  const loss = `what is special about ${shapeName(source)} is not shown`;
  for (const name of general) add(source, { name, loss, source });
}
for (const { one: named, others, source: key, loss } of TABLES.alike) {
  const [one, source] = [shapeIri(named), TABLES.sources[key] ?? ''];
  for (const other of others.split(' ').map(shapeIri)) {
    add(one, { name: other, loss, source });
    add(other, { name: one, loss, source });
  }
}

/** Steps beyond which nothing is close any more. */
export const FARTHEST = 3;

/** The classes that are close to one (its canonical IRI), the closest first; itself not among them. */
export function closeClasses(name: string): CloseClass[] {
  const found = new Map<string, CloseClass>();
  let reached = [name];
  for (let count = 1; count <= FARTHEST; count++) {
    const next: string[] = [];
    for (const from of reached) {
      for (const step of steps.get(from) ?? []) {
        if (step.name === name || found.has(step.name)) continue;
        found.set(step.name, { ...step, to: name, steps: count, loss: lossOn(found.get(from), step.loss) });
        next.push(step.name);
      }
    }
    reached = next;
  }
  return [...found.values()];
}

function lossOn(before: CloseClass | undefined, loss: string): string {
  return before && before.loss !== loss ? `${before.loss}; ${loss}` : loss;
}

/** The more general classes of one, whatever the steps: of data that names both, the special one tells more. */
export function moreGeneral(name: string): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [...(moreGeneralThan.get(name) ?? [])];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (found.has(at)) continue;
    found.add(at);
    waiting.push(...(moreGeneralThan.get(at) ?? []));
  }
  return found;
}
