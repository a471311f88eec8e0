/** What happens in a network, and when: it follows from the seed. */
import type { Random } from '../../src/lib/clock.js';
import { between, pick, substream } from './chance.js';
import type { SpreadTimes } from './costs.js';
import { MINUTE, type ScheduledEvent } from './time.js';
import type { SimulatedPod, World } from './world.js';

/** What a happening may touch. */
export interface Stage {
  readonly world: World;
  readonly spread: SpreadTimes;
}

/** What happens, as it begins. */
export interface Begun {
  /** In a few words, for the log and the history of a violation. */
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
  /** Does it need processes that share a database? */
  readonly isOfDatabase?: boolean;
  begin(stage: Stage, random: Random): Begun | Promise<Begun>;
}

/** Something that will happen. All of it follows from its number and the seed: it happens alike whatever else does. */
interface Planned {
  readonly number: number;
  readonly kind: Kind;
  /** Ms since the round began. */
  readonly at: number;
  /** Ms until it is put right, where there is something to be put right. */
  readonly lasts: number;
}

export interface RoundOptions {
  readonly seed: number;
  readonly round: number;
  readonly changes: number;
  readonly faults: { readonly kinds: readonly Kind[]; readonly count: number };
  /** Ms in which everything happens, and is put right. */
  readonly length: number;
}

/** More than ever happen in one round: numbers are unique over all rounds. Of each round, changes are before its first fault. */
const PER_ROUND = 10_000;
const FIRST_FAULT = PER_ROUND / 2;

/** What authors and users do every day. */
const CHANGES: readonly Pick<Kind, 'name' | 'begin'>[] = [
  {
    name: 'edit',
    begin: (stage, random) => {
      const pod = pick(random, stage.world.pods);
      return write(stage, pod, pick(random, [...pod.documents, newDocument(pod, random)]));
    },
  },
  {
    name: 'add',
    begin: (stage, random) => {
      const pod = pick(random, stage.world.pods);
      return write(stage, pod, newDocument(pod, random));
    },
  },
  {
    name: 'delete',
    begin: (stage, random) => {
      const pod = pick(random, stage.world.pods);
      if (pod.documents.length < 2) return write(stage, pod, newDocument(pod, random));
      return erase(stage, pod, pick(random, pod.documents));
    },
  },
  {
    name: 'post',
    begin: async ({ world }, random) => {
      const node = pick(random, world.nodes);
      const posted = [...(world.truth.posted.get(node.url)?.keys() ?? [])];
      const anew = `https://modules.example/posted/more-${Math.floor(random() * 1000)}.js`;
      const uri = pick(random, [...posted, anew]);
      const isTakenBack = posted.includes(uri) && random() < 0.5;
      const label = `posted at ${world.time.elapsed}`;
      const isDone = await (isTakenBack ? world.unpost(node, uri) : world.post(node, { uri, label }));
      if (!isDone) return { what: `nobody can post to ${node.name}` };
      return { what: `${uri} is ${isTakenBack ? 'taken back from' : 'posted to'} ${node.name}` };
    },
  },
];

/** An author writes a document, about the same component as before where no other is named. */
export async function write(
  { spread }: Stage,
  pod: SimulatedPod,
  document: string,
  uri?: string,
): Promise<Begun> {
  await spread.changed(pod.url, document, await pod.write(document, uri));
  return { what: `${document} is written` };
}

export async function erase({ spread }: Stage, pod: SimulatedPod, document: string): Promise<Begun> {
  await pod.erase(document);
  await spread.changed(pod.url, document, undefined);
  return { what: `${document} is deleted` };
}

function newDocument({ url }: SimulatedPod, random: Random): string {
  return `${url}more-${Math.floor(random() * 1000)}.ttl`;
}

/** What happens in one round, in the order of time. */
export function planRound({ seed, round, changes, faults, length }: RoundOptions): Planned[] {
  const random = substream(seed, 'plan', round);
  const plan = (kinds: readonly Pick<Kind, 'name' | 'begin'>[], from: number, count: number) =>
    Array.from({ length: kinds.length === 0 ? 0 : count }, (_, i): Planned => {
      const at = Math.floor(random() * length * 0.75);
      const lasts = Math.min(between(random, MINUTE, 20 * MINUTE), length - at);
      return { number: round * PER_ROUND + from + i, kind: pick(random, kinds) as Kind, at, lasts };
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
  readonly #stage: Stage;
  readonly #seed: number;
  readonly #log: (text: string) => void;
  readonly #open = new Map<number, Begun & { readonly event: ScheduledEvent }>();
  #failure: { readonly error: unknown } | undefined;

  constructor(stage: Stage, seed: number, log: (text: string) => void) {
    this.#stage = stage;
    this.#seed = seed;
    this.#log = log;
  }

  /** Of what has happened, how much was a fault. */
  get faults(): number {
    return this.begun.filter((number) => number % PER_ROUND >= FIRST_FAULT).length;
  }

  async begin({ number, kind, lasts }: Planned): Promise<void> {
    const { world } = this.#stage;
    this.begun.push(number);
    const begun = await kind.begin(this.#stage, substream(this.#seed, 'happening', number));
    this.#note(`#${number} ${kind.name}: ${begun.what}`);
    if (begun.end)
      this.#open.set(number, { ...begun, event: world.time.after(lasts, () => this.#end(number)) });
  }

  /** @throws what went wrong when something was put right */
  check(): void {
    if (this.#failure) throw this.#failure.error;
  }

  /** Begins to put everything right. It may take time: that of a start, say. */
  endAll(): void {
    for (const number of [...this.#open.keys()]) this.#end(number);
  }

  #end(number: number): void {
    const { event, end, what } = this.#open.get(number) ?? {};
    if (!event) return;
    this.#open.delete(number);
    event.action = undefined;
    const putRight = async () => {
      await end?.();
      this.#note(`#${number} ends: ${what}`);
    };
    putRight().catch((error) => {
      this.#failure ??= { error };
    });
  }

  #note(text: string): void {
    this.history.push(`${(this.#stage.world.time.elapsed / MINUTE).toFixed(2)} min  ${text}`);
    this.#log(text);
  }
}
