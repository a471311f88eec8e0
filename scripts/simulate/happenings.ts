/** What happens in a network, and when: it follows from the seed. */
import type { Random } from '../../src/lib/clock.js';
import { between, pick, substream } from './chance.js';
import { HOUR, MINUTE } from './time.js';
import type { SimulatedPod, World } from './world.js';

/** What happens, as it begins. */
export interface Begun {
  /** To whom or to what, for the log and the history of a violation. */
  readonly what: string;
  /** Puts everything right again, where something is out of order until then. */
  readonly end?: () => unknown;
}

/** Begins something that may happen. It draws all that it has to choose from its own random numbers. */
export type Begin = (world: World, random: Random) => Begun | Promise<Begun>;

/** Something that will happen. All of it follows from its number and the seed: it happens alike whatever else does. */
export interface Planned {
  readonly number: number;
  readonly name: string;
  readonly begin: Begin;
  /** When it begins, in virtual ms. */
  readonly at: number;
  /** When it is put right, where there is something to be put right, however long its beginning takes. */
  readonly until: number;
}

/** More than ever happen in one round: numbers are unique over all rounds. Of each round, changes are before its first fault. */
const PER_ROUND = 10_000;
const FIRST_FAULT = PER_ROUND / 2;

export function isFault(number: number): boolean {
  return number % PER_ROUND >= FIRST_FAULT;
}

/** What authors and users do every day. */
const CHANGES: Readonly<Record<string, Begin>> = {
  edit: ({ pods }, random) => write(pick(random, pods), random),
  add: ({ pods }, random) => write(pick(random, pods), random, []),
  async delete({ pods }, random) {
    const pod = pick(random, pods);
    if (pod.documents.length < 2) return write(pod, random, []);
    const document = pick(random, pod.documents);
    await pod.erase(document);
    return { what: document };
  },
  async post(world, random) {
    const node = pick(random, world.nodes);
    const posted = [...world.truth.saidBy(node.url).keys()];
    const anew = `https://modules.example/posted/more-${Math.floor(random() * 1000)}.js`;
    const uri = pick(random, [...posted, anew]);
    const isTakenBack = posted.includes(uri) && random() < 0.5;
    const label = isTakenBack ? undefined : `posted at ${world.time.elapsed}`;
    const isDone = await world.post(node, uri, label);
    return { what: `${isTakenBack ? 'not ' : ''}${uri} at ${node.name}${isDone ? '' : ', in vain'}` };
  },
};

/** An author writes one of these documents, or a new one. */
export async function write(pod: SimulatedPod, random: Random, documents = pod.documents): Promise<Begun> {
  const added = `${pod.url}more-${Math.floor(random() * 1000)}.ttl`;
  const what = pick(random, [...documents, added]);
  await pod.write(what);
  return { what };
}

/** Of each hour, so long things happen; in the rest, all comes right again. */
export const ACTIVE = 0.4 * HOUR;

/**
 * What happens in one round, in the order of time.
 * @param began when the round began, in virtual ms
 */
export function planRound(
  { nodes, pods }: Pick<World, 'nodes' | 'pods'>,
  faults: Readonly<Record<string, Begin>>,
  { seed, round, began }: Readonly<Record<'seed' | 'round' | 'began', number>>,
): Planned[] {
  const random = substream(seed, 'plan', round);
  const plan = (among: Readonly<Record<string, Begin>>, from: number, count: number) => {
    const kinds = Object.entries(among);
    return Array.from({ length: kinds.length === 0 ? 0 : Math.min(50, count) }, (_, i): Planned => {
      const at = began + Math.floor(random() * ACTIVE * 0.75);
      const until = Math.min(at + between(random, MINUTE, 20 * MINUTE), began + ACTIVE);
      const [name, begin] = pick(random, kinds);
      return { number: round * PER_ROUND + from + i, name, begin, at, until };
    });
  };
  const planned = [
    ...plan(pods.length === 0 ? {} : CHANGES, 0, 4 + Math.ceil(pods.length / 3)),
    ...plan(faults, FIRST_FAULT, 2 + Math.ceil(nodes.length / 4)),
  ];
  return planned.sort((one, other) => one.at - other.at || one.number - other.number);
}
