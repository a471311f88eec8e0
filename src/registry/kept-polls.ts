import { type Source, sourceKey } from '../component/source.js';
import type { SourceRecord } from '../core/source-record.js';
import { LeaseLost } from '../keep/faults.js';
import type { Head, Keep, Lease as KeepLease } from '../keep/keep.js';
import type { RegistryData } from './registry-data.js';
import type { Lease, SharedPolls } from './shared-polls.js';
import type { Writer } from './writer.js';

/** A lease of the keep for the polls of one source, taken in an epoch of the data. */
class KeptLease implements Lease {
  constructor(
    readonly record: SourceRecord | undefined,
    readonly kept: KeepLease,
    readonly epoch: string,
  ) {}

  release(): Promise<void> {
    return this.kept.release();
  }
}

/** What the keep compares when something is committed under a lease. */
export function keptLease(lease: Lease | undefined): KeepLease | undefined {
  return lease instanceof KeptLease ? lease.kept : undefined;
}

/**
 * In another epoch the data has lost commits, and perhaps the first ones of this poll: its last one must not say that all of it is
 * stored. @throws LeaseLost
 */
export function refuseOtherEpoch(lease: Lease | undefined, { epoch }: Head): void {
  if (lease instanceof KeptLease && lease.epoch !== epoch) throw new LeaseLost(lease.kept.name);
}

/** Polls that are shared by nodes on one keep. */
export function keptPolls(keep: Keep, data: RegistryData, writer: Writer): SharedPolls {
  return {
    async take(source: Source) {
      const lease = await keep.lease(sourceKey(source));
      if (!lease) return undefined;
      try {
        await writer.catchUp();
      } catch (error) {
        // It would be renewed for as long as this process lives, and nobody would poll the source.
        await lease.release();
        throw error;
      }
      return new KeptLease(data.held.source(source)?.record, lease, data.head.epoch);
    },
    watch: (listener) =>
      writer.watch(({ sources }) => {
        for (const row of sources.values()) if (row) listener(row.source, row.record);
      }),
  };
}
