import type { Metadata } from '../../src/component/metadata.js';
import type { Random } from '../../src/lib/clock.js';
import { seededRandom } from '../../test/support/seeded-random.js';

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
export function* sampleComponents(from: number, to: number, release = 0): Generator<Metadata> {
  for (let i = from; i < to; i++) yield sampleComponent(i, release);
}

export function sampleComponent(i: number, release = 0): Metadata {
  const random = seededRandom(i);
  const shape = () => zipf(SHAPES, random);
  const tag = () => zipf(TAGS, random);
  const author = () => zipf(AUTHORS, random);
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

function shapeIri(rank: number): string {
  return `https://shapes.example.org/${WORDS[rank % WORDS.length]}/shape-${rank}`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A rank from 0 to `size - 1`, the rank r with a probability in proportion to 1 / (r + 1), about (Zipf's law). */
function zipf(size: number, random: Random): number {
  return Math.floor((size + 1) ** random()) - 1;
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
