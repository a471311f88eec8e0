import { canonicalShape } from '../component/canonical-shape.js';
import { propertiesOf } from '../component/known-classes.js';
import { RDF_TYPE } from '../component/vocabulary.js';

/**
 * Which properties of data are usual for which classes. What a class covers is worked out once, however many components name it,
 * as bits: the bit of a property is set where the class has it.
 */
export class PredicateCoverage {
  readonly #predicates: readonly string[];
  readonly #canonical: readonly string[];
  /** By canonical IRI, of known classes only: strangers name any number of others. */
  readonly #byClass = new Map<string, bigint>();

  /** @param predicates of the data, as it has them */
  constructor(predicates: readonly string[]) {
    this.#predicates = predicates.filter((one) => one !== RDF_TYPE);
    this.#canonical = this.#predicates.map(canonicalShape);
  }

  /** How many of the properties none of some classes (canonical IRIs) has; 0 where no class is known, which tells nothing. */
  missing(classes: readonly string[]): number {
    const covered = this.#coveredBy(classes);
    return covered === undefined ? 0 : this.#predicates.length - ones(covered);
  }

  /** The properties that `missing` counts. */
  missingNames(classes: readonly string[]): string[] {
    const covered = this.#coveredBy(classes);
    if (covered === undefined) return [];
    return this.#predicates.filter((_, i) => (covered & bit(i)) === 0n);
  }

  /** Undefined where none of the classes is known. */
  #coveredBy(classes: readonly string[]): bigint | undefined {
    let covered: bigint | undefined;
    for (const name of classes) {
      const bits = this.#bitsOf(name);
      if (bits !== undefined) covered = (covered ?? 0n) | bits;
    }
    return covered;
  }

  #bitsOf(name: string): bigint | undefined {
    const known = this.#byClass.get(name);
    if (known !== undefined) return known;
    const properties = propertiesOf(name);
    if (!properties) return undefined;
    let bits = 0n;
    for (const [i, predicate] of this.#canonical.entries()) if (properties.has(predicate)) bits |= bit(i);
    this.#byClass.set(name, bits);
    return bits;
  }
}

function bit(index: number): bigint {
  return 1n << BigInt(index);
}

function ones(bits: bigint): number {
  let count = 0;
  for (let left = bits; left > 0n; left &= left - 1n) count += 1;
  return count;
}
