import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Metadata } from '../../src/component/metadata.js';
import { LOCAL, type Source, sourceKey } from '../../src/component/source.js';
import { compareStandings, precedenceOf } from '../../src/core/precedence.js';
import type { Engine } from '../support/engines.js';
import { component, type TestRegistry } from '../support/registry.js';

const SOURCES: readonly Source[] = [
  ...['https://z-pod.example/', 'https://a-pod.example/', 'https://learned.example/'].map(
    (url): Source => ({ kind: 'pod', url }),
  ),
  ...['https://z-peer.example', 'https://a-peer.example', 'https://learned.example'].map(
    (url): Source => ({ kind: 'peer', url }),
  ),
  LOCAL,
];
const precedence = precedenceOf({
  pods: ['https://z-pod.example/', 'https://a-pod.example/'],
  peers: ['https://z-peer.example', 'https://a-peer.example'],
});

/** What a source says from some moment on; null when it goes, with all that it brought. */
interface Step {
  readonly source: Source;
  readonly says: readonly string[] | null;
}

const step: fc.Arbitrary<Step> = fc.record({
  source: fc.constantFrom(...SOURCES),
  says: fc.option(fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { maxLength: 3 }), { freq: 4 }),
});

/** A description by which its source can be told; no field of it comes from another. */
const description = (name: string, source: Source): Metadata =>
  component(name, { label: sourceKey(source), tag: [source.kind], description: source.url });

async function served(registry: TestRegistry, steps: readonly Step[]): Promise<Metadata[]> {
  for (const { source, says } of steps) {
    const components = (says ?? []).map((name) => description(name, source));
    if (source === LOCAL) {
      for (const name of ['x', 'y', 'z']) await registry.removeLocal(component(name).uri);
      await registry.upsertLocal(components);
    } else if (says === null) {
      await registry.forget(source);
    } else {
      await registry.commit({
        source,
        documents: [{ url: source.url, components, record: {} }],
        record: { failures: 0 },
      });
    }
  }
  return registry.list();
}

const standingOf = (source: Source) => precedence.standing({ source, document: source.url });

/** Who should be served, given only what each source says in the end. */
function expected(steps: readonly Step[]): Metadata[] {
  const last = new Map(steps.map(({ source, says }) => [source, says ?? []]));
  return ['x', 'y', 'z'].flatMap((name) => {
    const speakers = SOURCES.filter((source) => last.get(source)?.includes(name));
    const [winner] = speakers.sort((one, other) => compareStandings(standingOf(one), standingOf(other)));
    return winner ? [description(name, winner)] : [];
  });
}

/** Who is served does not depend on the order in which sources say what they say. */
export function arrivalContract(name: string, createEngine: () => Promise<Engine>, runs = 60): void {
  describe(`arrival in any order: ${name}`, () => {
    const from = async (steps: readonly Step[]) => {
      const engine = await createEngine();
      const registry = await engine.open({ precedence });
      try {
        return await served(registry, steps);
      } finally {
        await registry.close();
        await engine.remove();
      }
    };

    test('one source wins whole and shadowed ones take over, whatever came in which order', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          expect(await from(steps)).toEqual(expected(steps));
        }),
        { numRuns: runs },
      );
    });

    test('the same statements come to the same end on every arrival order', async () => {
      const states = fc.uniqueArray(step, {
        selector: ({ source }) => sourceKey(source),
        maxLength: SOURCES.length,
      });
      await fc.assert(
        fc.asyncProperty(
          states.chain((steps) =>
            fc.tuple(fc.constant(steps), fc.shuffledSubarray(steps, { minLength: steps.length })),
          ),
          async ([one, other]) => {
            expect(await from(one)).toEqual(await from(other));
          },
        ),
        { numRuns: runs },
      );
    });
  });
}
