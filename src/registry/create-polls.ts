import { sourceKey } from '../component/source.js';
import type { Keep } from '../keep/keep.js';
import type { RegistryData } from './registry-data.js';
import type { SharedPolls } from './shared-polls.js';
import type { Writer } from './writer.js';

/** Polls that are shared by nodes on one keep. */
export function createPolls(keep: Keep, data: RegistryData, writer: Writer): SharedPolls {
  return {
    async take(source) {
      const lease = await keep.lease(sourceKey(source));
      if (!lease) return undefined;
      try {
        await writer.catchUp();
      } catch (error) {
        // It would be renewed for as long as this process lives, and nobody would poll the source.
        await lease.release();
        throw error;
      }
      return Object.assign(lease, { record: data.held.source(source)?.record, epoch: data.head.epoch });
    },
    watch: (listener) =>
      writer.watch(({ sources }) => {
        for (const row of sources.values()) if (row) listener(row.source, row.record);
      }),
  };
}
