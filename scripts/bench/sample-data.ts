import type { Metadata } from '../../src/component/metadata.js';

const SHAPES = 20_000;
const TAGS = 2_000;
const AUTHORS = 5_000;

const WORDS =
  'shows edits lists a an the of for person profile address contact event calendar photo album note task chat message bank account payslip diploma degree medical record vaccination address company employee invoice product offer review rating place map route with and from your data pod as in card table form timeline chart small compact accessible responsive read only print friendly'.split(
    ' ',
  );

/**
 * Components as authors write them: a package on a delivery network, a sentence or two of description, one
 * or two shapes and tags, a few popular ones and a long tail of rare ones. Component `i` is the same whatever
 * the number of others. Each `release` has a version and an address of its own, as on real networks.
 */
export function* sampleComponents(
  from: number,
  to: number,
  release: (i: number) => number = () => 0,
): Generator<Metadata> {
  for (let i = from; i < to; i++) yield sampleComponent(i, release(i));
}

/** Which release of each component there is: of `share` of them, one later than `all`, which the others have. */
export interface Releases {
  readonly all: number;
  readonly share: number;
  readonly seed: number;
}

export function releasesOf(releases: Releases | undefined): (i: number) => number {
  if (!releases) return () => 0;
  const { all, share, seed } = releases;
  const every = share > 0 ? Math.round(1 / share) : Number.POSITIVE_INFINITY;
  return (i) => all + ((i + seed) % every === 0 ? 1 : 0);
}

export function sampleComponent(i: number, release = 0): Metadata {
  const random = seeded(i);
  const { shape, tag, author } = pickers(random);
  const text = (least: number, most: number) =>
    Array.from({ length: least + Math.floor(random() * (most - least + 1)) }, () => {
      return WORDS[Math.floor(random() * WORDS.length)];
    }).join(' ');
  const minor = Math.floor(random() * 20);
  const patch = Math.floor(random() * 10);
  const several = (pick: () => number, chance: number) => {
    const picked = [pick()];
    while (picked.length < 4 && random() < chance) picked.push(pick());
    return [...new Set(picked)];
  };
  const version = `${Math.floor(random() * 3)}.${minor}.${patch + release}`;
  return {
    uri: `https://cdn.example.net/npm/@author-${author()}/component-${i.toString(36)}@${version}/dist/index.js`,
    label: capitalised(text(2, 4)),
    description: `${capitalised(text(6, 18))}.`,
    version,
    latest: random() < 0.6,
    author: several(author, 0.1)
      .map((a) => `https://author-${a}.example/profile/card#me`)
      .sort(),
    tag: several(tag, 0.4)
      .map((t) => `${WORDS[t % WORDS.length]}-${t.toString(36)}`)
      .sort(),
    shapes: several(shape, 0.4).map(shapeIri).sort(),
  };
}

export function shapeIri(rank: number): string {
  return `https://shapes.example.org/${WORDS[rank % WORDS.length]}/shape-${rank}`;
}

let tables: { random: { now: () => number }; shape: () => number; tag: () => number; author: () => number };

/** The tables are made once; the chance behind them is exchanged. */
function pickers(random: () => number): Omit<typeof tables, 'random'> {
  if (!tables) {
    const source = { now: random };
    const draw = () => source.now();
    tables = {
      random: source,
      shape: zipf(SHAPES, draw),
      tag: zipf(TAGS, draw),
      author: zipf(AUTHORS, draw),
    };
  }
  tables.random.now = random;
  return tables;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Repeatable chance (mulberry32): the same seed makes the same data on every machine. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Picks ranks from 0 to `size - 1`, the rank r with a probability in proportion to 1 / (r + 1) (Zipf's law). */
export function zipf(size: number, random: () => number): () => number {
  const cumulated = new Float64Array(size);
  let sum = 0;
  for (let rank = 0; rank < size; rank++) {
    sum += 1 / (rank + 1);
    cumulated[rank] = sum;
  }
  return () => {
    const wanted = random() * sum;
    let low = 0;
    let high = size - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((cumulated[middle] as number) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** Shapes that 30 to 50 of the first so many components render. */
export function rareShapes(components: number): string[] {
  const counts = new Map<string, number>();
  for (const { shapes } of sampleComponents(0, components)) {
    for (const shape of shapes) counts.set(shape, (counts.get(shape) ?? 0) + 1);
  }
  const rare = [...counts].filter(([, count]) => count >= 30 && count <= 50).map(([shape]) => shape);
  return rare.length > 0 ? rare : [shapeIri(0)];
}
