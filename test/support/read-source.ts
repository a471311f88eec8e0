import type { Batch, ReadLimits } from '../../src/core/reading.js';
import type { PeerRules } from '../../src/core/take.js';
import type { PollReport } from '../../src/explain/poll-report.js';
import type { Clock } from '../../src/lib/clock.js';
import { withoutPause } from '../../src/lib/pace.js';
import { packed, unpacked } from '../../src/lib/pool/packed.js';
import { inProcess, type TaskPool } from '../../src/lib/pool/task.js';
import { pollOnce } from '../../src/sync/poll.js';
import { Room } from '../../src/sync/room.js';
import type { SourceReader } from '../../src/sync/source-reader.js';
import type { TestRegistry } from './registry.js';

/** Runs tasks where it is asked, and hands their results over as threads do. */
export const packedPool: TaskPool = {
  run: async (task, input, options) =>
    unpacked(packed(await inProcess.run(task, input, options), 80), withoutPause()),
};

/** What one poll has read: its last batch, with what all batches say of documents. */
export interface WholeReading extends Batch {
  readonly batches: readonly Batch[];
}

export interface PollCircumstances {
  readonly rules?: PeerRules | undefined;
  readonly maxComponents?: number;
  readonly acceptsShrink?: boolean;
  readonly limits?: Partial<ReadLimits>;
  /** Aborted with a `PollTimeout` when the time of the poll is over. */
  readonly time?: AbortSignal | undefined;
  /** Aborted when the poll is stopped. */
  readonly signal?: AbortSignal | undefined;
}

/** Notes the batches of a reader, and holds it to what is so for every reading, whatever is read. */
function watched(reader: SourceReader, batches: Batch[], { time, limits }: PollCircumstances): SourceReader {
  return {
    ...reader,
    async *read(stored, given, signal) {
      const whole = new Set<string>();
      const either = time ? AbortSignal.any([signal, time]) : signal;
      for await (const batch of reader.read(stored, { ...given, ...limits }, either)) {
        if (batches.at(-1)?.isLast) throw new Error('a batch comes after the last one');
        const removes = batch.gone.length > 0 || batch.put.some(({ amend }) => amend?.remove?.length);
        if (removes && !(batch.isLast && batch.complete))
          throw new Error('a reading removes before it is complete');
        for (const { url, components } of batch.put) {
          if (components && whole.has(url)) throw new Error(`${url} is given whole twice`);
          if (components) whole.add(url);
        }
        batches.push(batch);
        yield batch;
      }
      if (!batches.at(-1)?.isLast) throw new Error('a reading ends without its last batch');
    },
  };
}

/** What came of a poll, and what was read for it. */
export type Polled = PollReport & { readonly reading: WholeReading };

/** Polls a source once as a node does: what is read is judged and committed. Rejects when it is stopped. */
export async function pollReader(
  registry: Pick<TestRegistry, 'commit' | 'source' | 'said' | 'sources'>,
  reader: SourceReader,
  clock: Clock,
  circumstances: PollCircumstances = {},
): Promise<Polled> {
  const { rules, maxComponents = 100_000, acceptsShrink = false, signal } = circumstances;
  const room = new Room({
    limits: { maxComponents, maxLearnedComponents: maxComponents },
    sources: () => registry.sources(),
    isConfigured: () => false,
  });
  const batches: Batch[] = [];
  const polling = {
    ...{ registry, commit: registry.commit, clock, room, acceptsShrink, pace: withoutPause },
    rules: () => rules,
    plan: () => ({ due: 0, notBefore: 0 }),
  };
  const { report } = await pollOnce(
    watched(reader, batches, circumstances),
    polling,
    signal ?? new AbortController().signal,
  );
  const last = batches.at(-1);
  if (!last) throw new Error('nothing was read');
  return { ...report, reading: { ...last, put: batches.flatMap(({ put }) => put), batches } };
}
