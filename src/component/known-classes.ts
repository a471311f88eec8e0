import properties from './known-classes.json' with { type: 'json' };
import { irisInRow, shapeIri } from './shape-names.js';

/**
 * What data of a class says of itself, as the vocabulary defines it and as pods and websites use it: the properties by which
 * data without a known class is recognised, and which a component for the class can be expected to show. A property without a
 * prefix belongs to the vocabulary of its class. Metadata names no properties, so this table stands for those of a component. It is
 * by canonical IRI of the class.
 */
const TABLE: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(properties).map(([name, listed]) => [shapeIri(name), new Set(irisInRow(name, listed))]),
);

/** The properties of a class (its canonical IRI), canonical; undefined where the table does not have it. */
export function propertiesOf(name: string): ReadonlySet<string> | undefined {
  return TABLE.get(name);
}

/** How many classes have each property. */
const COMMON = new Map<string, number>();
for (const properties of TABLE.values())
  for (const one of properties) COMMON.set(one, (COMMON.get(one) ?? 0) + 1);

/** Fewer properties are had by much that is of no such class, and so are those that more classes have: names, texts, dates. */
const TELLING = { properties: 2, classes: 4 } as const;

/**
 * The classes that have most of the properties of data, if these tell anything: how many it has of those that the class has.
 * `predicates` are canonical.
 */
export function classesByProperties(predicates: readonly string[]) {
  const isTelling = (one: string) => (COMMON.get(one) ?? 0) <= TELLING.classes;
  const guesses = [...TABLE].flatMap(([name, properties]) => {
    const had = predicates.filter((one) => properties.has(one));
    return had.some(isTelling) ? [{ name, has: had.length, of: properties.size }] : [];
  });
  const most = Math.max(TELLING.properties, ...guesses.map(({ has }) => has));
  return guesses.filter(({ has }) => has === most);
}
