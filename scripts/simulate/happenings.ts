/** What happens in a network, and when: it follows from the seed. */
import type { Random } from '../../src/lib/clock.js';
import { between, pick, substream } from './chance.js';
import { MINUTE } from './time.js';
import type { SimulatedPod, World } from './world.js';

/** What happens, as it begins. */
export interface Begun {
  /** To whom or to what, for the log and the history of a violation. */
  readonly what: string;
  /** Puts everything right again, where something is out of order until then. */
  readonly end?: () => unknown;
}

/** Something that may happen in a network. It draws all that it has to choose from its own random numbers. */
export interface Kind {
  /** As it is asked for on the command line. */
  readonly name: string;
  /** In a few words, for `--help`. */
  readonly shows: string;
  begin(world: World, random: Random): Begun | Promise<Begun>;
}

/** Something that will happen. All of it follows from its number and the seed: it happens alike whatever else does. */
interface Planned {
  readonly number: number;
  readonly kind: Omit<Kind, 'shows'>;
  /** When it begins, in virtual ms. */
  readonly at: number;
  /** When it is put right, where there is something to be put right, however long its beginning takes. */
  readonly until: number;
}

/** More than ever happen in one round: numbers are unique over all rounds. Of each round, changes are before its first fault. */
const PER_ROUND = 10_000;
const FIRST_FAULT = PER_ROUND / 2;

/** What authors and users do every day. */
const CHANGES: readonly Omit<Kind, 'shows'>[] = [
  { name: 'edit', begin: ({ pods }, random) => write(pick(random, pods), random) },
  { name: 'add', begin: ({ pods }, random) => write(pick(random, pods), random, []) },
  {
    name: 'delete',
    begin: async ({ pods }, random) => {
      const pod = pick(random, pods);
      if (pod.documents.length < 2) return write(pod, random, []);
      const document = pick(random, pod.documents);
      await pod.erase(document);
      return { what: document };
    },
  },
  {
    name: 'post',
    begin: async (world, random) => {
      const node = pick(random, world.nodes);
      const posted = [...world.truth.saidBy(node.url).keys()];
      const anew = `https://modules.example/posted/more-${Math.floor(random() * 1000)}.js`;
      const uri = pick(random, [...posted, anew]);
      const isTakenBack = posted.includes(uri) && random() < 0.5;
      const label = `posted at ${world.time.elapsed}`;
      const isDone = await (isTakenBack ? world.unpost(node, uri) : world.post(node, { uri, label }));
      return { what: `${isTakenBack ? 'not ' : ''}${uri} at ${node.name}${isDone ? '' : ', in vain'}` };
    },
  },
];

/** An author writes one of these documents, or a new one. */
async function write(pod: SimulatedPod, random: Random, documents = pod.documents): Promise<Begun> {
  const added = `${pod.url}more-${Math.floor(random() * 1000)}.ttl`;
  const what = pick(random, [...documents, added]);
  await pod.write(what);
  return { what };
}

/**
 * What happens in one round, in the order of time.
 * @param faults what may go wrong, and how often it does
 * @param began when the round began, in virtual ms
 * @param length ms in which everything happens, and is put right
 */
export function planRound(
  { seed, round, began, length }: Readonly<Record<'seed' | 'round' | 'began' | 'length', number>>,
  changes: number,
  faults: { readonly kinds: readonly Kind[]; readonly count: number },
): Planned[] {
  const random = substream(seed, 'plan', round);
  const plan = (kinds: readonly Planned['kind'][], from: number, count: number) =>
    Array.from({ length: kinds.length === 0 ? 0 : count }, (_, i): Planned => {
      const at = began + Math.floor(random() * length * 0.75);
      const until = Math.min(at + between(random, MINUTE, 20 * MINUTE), began + length);
      return { number: round * PER_ROUND + from + i, kind: pick(random, kinds), at, until };
    });
  const planned = [...plan(CHANGES, 0, changes), ...plan(faults.kinds, FIRST_FAULT, faults.count)];
  return planned.sort((one, other) => one.at - other.at || one.number - other.number);
}

/** Makes happen what was planned, and puts it right again in time. */
export class Happenings {
  /** What has happened, and when, for people. */
  readonly history: string[] = [];
  /** Numbers of what has happened. */
  readonly begun: number[] = [];
  readonly #world: World;
  readonly #seed: number;
  readonly #log: (text: string) => void;
  #failure: { readonly error: unknown } | undefined;

  constructor(world: World, seed: number, log: (text: string) => void) {
    this.#world = world;
    this.#seed = seed;
    this.#log = log;
  }

  /** Of what has happened, how much was a fault. */
  get faults(): number {
    return this.begun.filter((number) => number % PER_ROUND >= FIRST_FAULT).length;
  }

  /** @throws what failed while something was put right */
  check(): void {
    if (this.#failure) throw this.#failure.error;
  }

  async begin({ number, kind, until }: Planned): Promise<void> {
    this.begun.push(number);
    const { what, end } = await kind.begin(this.#world, substream(this.#seed, 'happening', number));
    const name = `#${number} ${kind.name}: ${what}`;
    this.note(name);
    if (!end) return;
    const putRight = async () => {
      await end();
      this.note(`${name} ends`);
    };
    this.#world.time.after(until - this.#world.time.elapsed, () => {
      putRight().catch((error: unknown) => {
        this.#failure ??= { error };
      });
    });
  }

  note(text: string): void {
    this.history.push(`${(this.#world.time.elapsed / MINUTE).toFixed(2)} min  ${text}`);
    this.#log(text);
  }
}
