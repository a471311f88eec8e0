import { KeepFull } from '../../src/keep/faults.js';
import type { Keep } from '../../src/keep/keep.js';
import { MemoryData, openMemory } from '../../src/keep/memory/memory-keep.js';
import { systemClock } from '../../src/lib/clock.js';
import { OutcomeUnknown } from '../../src/lib/faults.js';
import { type KeptOpen, openKeptRegistry } from '../../src/registry/open-kept-registry.js';
import type { SharedPolls } from '../../src/registry/shared-polls.js';
import type { LoadOptions } from '../../src/store/registry-store.js';
import { PEER, POD_A, POD_B } from '../registry/sources.js';
import type { Engine } from './engines.js';
import { registryOptions, TestRegistry } from './registry.js';

let drawn = 0;
const unique = () => `e${(drawn++).toString(36)}`;

export function memoryData(): MemoryData {
  return new MemoryData({ clock: systemClock, unique });
}

/** A registry on a keep, for tests. */
export class KeptTestRegistry extends TestRegistry {
  readonly polls: SharedPolls | undefined;

  constructor(open: KeptOpen) {
    super(open);
    this.polls = open.polls;
  }
}

interface More {
  readonly isShared?: boolean;
  readonly pods?: readonly string[];
  readonly mostAtOnce?: number;
  readonly checksQuads?: boolean;
}

/** A registry on a keep, with what a test gives. */
export async function openOn(
  keep: Keep,
  given: Partial<LoadOptions> = {},
  { pods = [POD_A.url, POD_B.url], ...more }: More = {},
): Promise<KeptTestRegistry> {
  const { precedence, ...options } = registryOptions(given);
  const order = { pods, peers: [PEER.url] };
  // Where nodes share the data, the order is theirs; else a test may have one that no configuration makes.
  const made = given.precedence && !more.isShared ? { precedenceOf: () => precedence } : {};
  return new KeptTestRegistry(await openKeptRegistry(keep, { ...options, ...made, ...more, order }));
}

/** Registries on a keep in memory, one after the other. */
export const keptEngine = async (): Promise<Engine> => {
  const data = memoryData();
  const keepOf = () => openMemory(data, { clock: systemClock }).keep('registry');
  return {
    holdsJson: true,
    open: async (options) => openOn(await keepOf(), options),
    breakable: async () => {
      const keep = await keepOf();
      const registry = await openOn(keep, { precedence: registryOptions().precedence });
      return { registry, breakCommits: (how) => breakCommits(keep, how) };
    },
    remove: async () => undefined,
  };
};

function breakCommits(keep: Keep, how: 'refused' | 'unsettled'): () => void {
  const commit = keep.commit.bind(keep);
  keep.commit = async (...asked) => {
    if (how === 'refused') throw new KeepFull('The disk of this node is full');
    await commit(...asked);
    throw new OutcomeUnknown('Nobody knows');
  };
  return () => {
    keep.commit = commit;
  };
}
