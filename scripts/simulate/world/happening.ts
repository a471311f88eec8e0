import type { Random } from '../../../src/lib/clock.js';
import type { SpreadTimes } from '../report/spread-times.js';
import type { World } from './world.js';

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
  readonly end?: () => void | Promise<void>;
}

/** Something that may happen in a network. It draws all that it has to choose from its own random numbers. */
export interface HappeningKind {
  /** As it is asked for on the command line. */
  readonly name: string;
  /** In a few words, for `--help`. */
  readonly shows: string;
  /** Does it need processes that share a database? */
  readonly isOfDatabase?: boolean;
  begin(stage: Stage, random: Random): Begun | Promise<Begun>;
}
