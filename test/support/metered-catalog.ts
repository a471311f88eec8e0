import { vi } from 'vitest';
import type { Catalog, Page } from '../../src/catalog/catalog.js';
import type { Description } from '../../src/catalog/description.js';
import type { Metadata } from '../../src/component/metadata.js';
import type { Pace } from '../../src/lib/pace.js';

/** Characters of what only a large component has as JSON. */
const LARGE = 50_000;

/** Counts what is done between two pauses, in things and not in milliseconds: so that a busy machine counts the same. */
export class WorkMeter {
  #parsed = 0;
  readonly #judged = new Set<string>();
  /** How often the metadata of a component was parsed between two pauses, at most. */
  mostParsed = 0;
  /** Of how many components the capabilities were looked at between two pauses, at most. */
  mostJudged = 0;
  /** Pauses, of all requests together. */
  pauses = 0;

  /** Pauses whenever it may, and counts it. */
  readonly pace: Pace = () => () => {
    this.#pause();
    return Promise.resolve();
  };

  /** Another request begins. */
  begin(): void {
    this.#pause();
    [this.mostParsed, this.mostJudged, this.pauses] = [0, 0, 0];
  }

  parsed(): void {
    this.mostParsed = Math.max(this.mostParsed, ++this.#parsed);
  }

  judged(uri: string): void {
    this.#judged.add(uri);
    this.mostJudged = Math.max(this.mostJudged, this.#judged.size);
  }

  #pause(): void {
    this.pauses += 1;
    this.#parsed = 0;
    this.#judged.clear();
  }
}

/** A catalog that tells a meter when the capabilities of a component are looked at. */
export function meteredCatalog(catalog: Catalog, meter: WorkMeter): Catalog {
  const metadataOf = (metadata: Metadata) =>
    withGetter(metadata, 'capability', (value) => {
      meter.judged(metadata.uri);
      return value;
    });
  const described = (one: Description) => withGetter(one, 'metadata', metadataOf);
  const paged = (page: Page): Page =>
    withGetter(
      page,
      'descriptions',
      (descriptions) =>
        async function* () {
          for await (const some of descriptions.call(page)) yield some.map(described);
        },
    );
  const replaced: Partial<Catalog> = {
    page: async (...asked) => paged(await catalog.page(...asked)),
  };
  return new Proxy(catalog, {
    get(target, key) {
      const value = Reflect.get(replaced, key) ?? Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Tells a meter when the object of a component is parsed, by whomever: engines parse it each time that metadata is asked for. */
export function meterParsing(meter: WorkMeter): void {
  const parse = JSON.parse;
  vi.spyOn(JSON, 'parse').mockImplementation((text, ...more) => {
    if (String(text).length > LARGE) meter.parsed();
    return parse(text, ...more);
  });
}

/** An object of which one property is read through a function. */
function withGetter<T extends object, K extends keyof T>(object: T, name: K, read: (value: T[K]) => T[K]): T {
  return new Proxy(object, {
    get(target, key) {
      const value = Reflect.get(target, key, target);
      return key === name ? read(value as T[K]) : value;
    },
  });
}
