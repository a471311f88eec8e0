import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Description } from '../../src/catalog/description.js';
import { sourceKey } from '../../src/component/source.js';
import { afterLook, digestsOf } from '../../src/core/pins.js';
import { forgetPins } from '../../src/registry/pins.js';
import type { Engine } from '../support/engines.js';
import { component, type TestRegistry } from '../support/registry.js';
import { LEARNED, OK, ORDER, PEER, POD_A } from './sources.js';

const SPEAKERS = [POD_A, PEER, LEARNED] as const;
const VERSIONS = ['1.0.0', '2.0.0'] as const;
const MODULES = ['a', 'b', 'c'] as const;
const { uri } = component('one');

/** What happens to one module, and to what is said of it. */
type Event =
  | {
      readonly kind: 'say';
      readonly who: number;
      readonly version: string;
      readonly promise?: string | undefined;
    }
  | { readonly kind: 'take back'; readonly who: number }
  | { readonly kind: 'release'; readonly module: string }
  | { readonly kind: 'look' | 'forget' | 'restart' };

const who = fc.nat(SPEAKERS.length - 1);
const kind = <T extends string>(name: T) => fc.constant(name);
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      ...{ kind: kind('say'), who, version: fc.constantFrom(...VERSIONS) },
      promise: fc.option(fc.constantFrom(...MODULES), { nil: undefined, freq: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind('take back'), who }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('release'), module: fc.constantFrom(...MODULES) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('look' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('forget' as const, 'restart' as const) }) },
);

/**
 * Random histories: a module is `changed` only if its bytes changed under a version of the source that is served, or are not
 * what this source promises. What others say, and looks that were made for them, change nothing.
 */
export function pinHistories(name: string, createEngine: () => Promise<Engine>, runs: number): void {
  describe(`histories of pins: ${name}`, () => {
    test(`${runs} of them pin nobody to what is not his`, { timeout: 300_000 + runs * 500 }, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (events) => {
          const engine = await createEngine();
          const history = new History(engine, await engine.open({ order: ORDER }));
          try {
            for (const one of events) {
              await history.happens(one);
              await history.check();
            }
          } finally {
            await history.registry.close();
            await engine.remove();
          }
        }),
        { numRuns: runs },
      );
    });
  });
}

class History {
  readonly #engine: Engine;
  registry: TestRegistry;
  #module: string = MODULES[0];
  /** The modules that were seen for a statement since it is served under its version, and what it promised then. */
  readonly #seen = new Map<
    string,
    { readonly of: string; readonly bytes: string[]; first: string | undefined }
  >();

  constructor(engine: Engine, registry: TestRegistry) {
    this.#engine = engine;
    this.registry = registry;
  }

  async happens(event: Event): Promise<void> {
    if (event.kind === 'say') await this.#say(event);
    else if (event.kind === 'take back') await this.#commit(event.who, []);
    else if (event.kind === 'release') this.#module = event.module;
    else if (event.kind === 'look') await this.#look();
    else if (event.kind === 'forget') {
      await forgetPins(this.registry.pins, uri);
      this.#seen.clear();
    } else {
      await this.registry.close();
      this.registry = await this.#engine.open({ order: ORDER });
    }
  }

  async check(): Promise<void> {
    const served = await this.#served();
    if (!served) return;
    const { pin, metadata } = served;
    const seen = this.#seen.get(String(metadata.version));
    if (!seen || seen.of !== nameOf(served)) {
      expect(pin).toBeUndefined();
      return;
    }
    const last = seen.bytes.at(-1) as string;
    const promised = PROMISED.get(String(metadata.integrity));
    const first = seen.first ?? (promised === undefined ? last : undefined);
    const isKept = (promised ?? first) === last && (first === undefined || first === last);
    expect([pin !== undefined, pin?.changed === undefined]).toEqual([true, isKept]);
    if (new Set(seen.bytes).size === 1 && (promised === undefined || promised === last))
      expect(isKept).toBe(true);
  }

  async #served(): Promise<Description | undefined> {
    const [served] = await this.registry.catalog.statements(uri);
    return served;
  }

  async #say({ who, version, promise }: Event & { kind: 'say' }): Promise<void> {
    const integrity = promise === undefined ? undefined : await digestsOf(bytesOf(promise), {});
    await this.#commit(who, [
      component('one', { version, ...(integrity === undefined ? {} : { integrity }) }),
    ]);
    if (integrity !== undefined) PROMISED.set(integrity, promise as string);
  }

  async #commit(who: number, components: readonly ReturnType<typeof component>[]): Promise<void> {
    const source = SPEAKERS[who] as (typeof SPEAKERS)[number];
    await this.registry.commit({
      source,
      documents: [{ url: `${source.url}doc`, components, record: {} }],
      record: OK,
    });
  }

  /** As a round of the node does it, for the statement that is served. */
  async #look(): Promise<void> {
    const served = await this.#served();
    if (!served) return;
    const { version, integrity } = served.metadata;
    const bytes = await digestsOf(bytesOf(this.#module), served.metadata);
    const look = { uri, version, statement: served, bytes, at: 1, validators: {} };
    await this.registry.pins.change([look], (one, known) => afterLook(known, one));
    const key = String(version);
    const before = this.#seen.get(key);
    const seen = before?.of === nameOf(served) ? before : { of: nameOf(served), bytes: [], first: undefined };
    this.#seen.set(key, seen);
    const promised = PROMISED.get(String(integrity));
    if (promised === undefined) seen.first ??= seen.bytes.at(-1);
    if (promised === undefined || promised === this.#module) seen.first ??= this.#module;
    seen.bytes.push(this.#module);
  }
}

/** Which module has which integrity. */
const PROMISED = new Map<string, string>();

function bytesOf(module: string) {
  return new TextEncoder().encode(module);
}

function nameOf({ source, document }: Description): string {
  return `${sourceKey(source)} ${document}`;
}
