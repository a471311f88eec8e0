import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as later } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { parseRdf } from '../../src/component/rdf-parse.js';
import { createVocabulary } from '../../src/component/vocabulary.js';

const vocabulary = createVocabulary('http://semcom.digita.ai/voc#');
/** As it is shipped: only then there is a script that a thread can run. */
const BUILT = new URL('../../dist/component/rdf-parse.js', import.meta.url).href;

let parse: (text: string) => ReturnType<typeof parseRdf>;
beforeAll(async () => {
  const built: { parseRdf: typeof parseRdf } = await import(BUILT);
  parse = (text) =>
    built.parseRdf(text, { mediaType: 'application/ld+json', baseIri: 'https://pod.example/', vocabulary });
});

const objects = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    '@id': `https://c.example/${i}.js`,
    'http://semcom.digita.ai/voc#label': [{ '@value': `Component ${i}` }],
    'http://semcom.digita.ai/voc#description': [{ '@value': 'long '.repeat(50) }],
  }));

describe('a long JSON-LD document', () => {
  it('is read whole and in order, and keeps nobody waiting', async () => {
    const text = JSON.stringify(objects(8000));
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const started = performance.now();
    const quads = await parse(text);
    const took = performance.now() - started;
    await later(20);
    expect(quads).toHaveLength(16_000);
    expect(quads.at(-1)?.equals(quads.at(-1))).toBe(true);
    expect(new Set(quads.map(({ subject }) => subject.value)).size).toBe(8000);
    expect(delay.max / 1e6).toBeLessThan(took / 2);
  });

  it('says what is wrong with it', async () => {
    const filler = 'x'.repeat(60_000);
    await expect(parse(`${JSON.stringify(objects(500))}]`)).rejects.toThrow(/^Not JSON/);
    await expect(parse(JSON.stringify({ '@context': 'https://else.example/', filler }))).rejects.toThrow(
      /the context <https:\/\/else\.example\/> is not fetched/,
    );
  });
});
