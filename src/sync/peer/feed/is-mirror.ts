import { takenFrom } from '../../../component/provenance.js';
import { sourceOfKey } from '../../../component/source.js';
import type { FeedClient } from './feed-client.js';
import { noPage, type Stop } from './feed-stop.js';

/**
 * Does a peer keep what it has from other nodes under the names that it has there? Only a mirror does; of what another
 * node has from others nothing is accepted, so it need not be read. The first such source tells.
 * @param sources all sources of the peer
 */
export async function isMirror(client: FeedClient, sources: Iterable<string>): Promise<boolean | Stop> {
  for (const of of sources) {
    const { kind, url } = sourceOfKey(of);
    if (kind !== 'peer') continue;
    const reading = await client.ask({ path: '/feed/source', parameters: { url, kind }, limit: 1 });
    if (reading.kind === 'failed' && reading.status === 404) continue;
    if (reading.kind !== 'page') return noPage('/feed/source', reading);
    const [first] = reading.page.changes;
    if (first) return !first.graph.startsWith(takenFrom(url, ''));
  }
  return false;
}
