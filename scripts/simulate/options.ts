import type { HappeningKind } from './world/happening.js';
import type { NetworkSize } from './world/topology.js';

/** What a simulation is to do. */
export interface SimulationOptions extends NetworkSize {
  /** Of each node. Where there are several, they share a database. */
  readonly processes: number;
  readonly seed: number;
  readonly hours: number;
  readonly intervalMinutes: number;
  /** Minutes in which the nodes join, one after the other. */
  readonly joinMinutes: number;
  /** All is right so long after the last thing that happened. */
  readonly boundHours: number;
  /** When all is right, so long nothing happens before it is looked whether nothing moves; what is usual when absent. */
  readonly restHours?: number | undefined;
  /** Those that may happen. */
  readonly faults: readonly HappeningKind[];
  /** Only these happen, by their numbers; all of them when absent. */
  readonly replay: readonly number[] | undefined;
  /** Keys of the configuration of all nodes, by section. */
  readonly config: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export const DEFAULTS = {
  nodes: 8,
  pods: 5,
  /** More than a pod may lose without being asked again. */
  components: 24,
  degree: 3,
  processes: 1,
  seed: 1,
  hours: 1,
  intervalMinutes: 5,
  /** With faults, nodes wait longer and longer before they try again: an hour at most, a few times. */
  boundHours: { calm: 1, faulty: 8 },
} as const;
