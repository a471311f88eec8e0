import { type Source, sourceKey } from '../component/source.js';
import type { SourceRecord } from '../core/source-record.js';
import type { Lease } from './source-change.js';
import type { WritingParts } from './writer.js';

export type SharedPolls = ReturnType<typeof createPolls>;

/** What nodes that share one registry tell one another, so that each source is polled by one of them at a time. */
export function createPolls({ keep, data, writer }: Pick<WritingParts, 'keep' | 'data' | 'writer'>) {
  return {
    /**
     * Takes a source for one poll. `undefined` while another node has it: until its poll has ended, or the node has not been
     * heard of for a while. @throws when the registry cannot be asked
     */
    async take(source: Source): Promise<Lease | undefined> {
      const lease = await keep.lease(sourceKey(source));
      if (!lease) return undefined;
      try {
        await writer.catchUp();
      } catch (error) {
        // It would be renewed for as long as this process lives, and nobody would poll the source.
        await lease.release();
        throw error;
      }
      return Object.assign(lease, { epoch: data.now.head.epoch });
    },

    /** Calls `listener` with what others have stored of a source, within a second. The function that is returned ends it. */
    watch: (listener: (source: Source, record: SourceRecord) => void) =>
      writer.watch(({ sources }) => {
        for (const { row } of sources.values()) if (row) listener(row.source, row.record);
      }),
  };
}
