import { systemClock } from '../../../src/lib/clock.js';
import { withoutPause } from '../../../src/lib/pace.js';
import { inProcess } from '../../../src/lib/pool/task.js';
import { createPeerReader, type PeerOptions } from '../../../src/sync/peer/peer-reader.js';
import type { SourceReader } from '../../../src/sync/source-reader.js';
import { VOCABULARY } from '../registry.js';

/** The reader of a peer, as after a start of a node whose epoch is `itself`. */
export function testPeerReader(
  parts: Pick<PeerOptions, 'url' | 'fetch'> & Partial<PeerOptions>,
): SourceReader {
  return createPeerReader({
    ...{ mode: 'registry', trust: 'configured', clock: systemClock, vocabulary: VOCABULARY },
    ...{ pool: inProcess(withoutPause), epoch: async () => 'itself', ...parts },
  });
}
