import { LOCAL, sameSource } from '../component/source.js';
import type { Findings, Salvage } from '../keep/salvage.js';
import { counted } from '../lib/counted.js';
import { checkAll, restorePosted } from './check-quads.js';
import { lossText, readAgain } from './losses.js';
import type { OpenedRegistry } from './open-registry.js';
import { statementRowKey, uriOfRowKey } from './row-keys.js';

const READ_AGAIN = [
  'perhaps the latest changes; all pods and peers will be read again in full at the next start',
  'what was posted to this node, and is not listed any more, has to be posted again',
];

/**
 * Makes a registry whole again after a repair: what was posted, from whichever of rows and quads is there; all quads, from the rows;
 * and everything else is read again from its sources. Closes the registry.
 */
export async function mendRegistry(salvage: Salvage, open: OpenedRegistry): Promise<Findings> {
  const { registry, losses, parts } = open;
  const { data } = parts;
  try {
    const restored = open.restored + (await restorePosted(parts, registry));
    const others = await checkAll(parts);
    const rows = salvage.rows.filter(({ service }) => service === 'registry');
    const isReadAgain = salvage.isIncomplete || rows.length + losses.length > 0;
    if (isReadAgain) await readAgain(data.now.held.all(), parts);
    const posted = `${counted(restored, 'component')} posted to this node, from what is left of the quads`;
    const quads = `the quads about ${counted(others, 'component')}`;
    const lost = rows.flatMap(({ table, key }) => {
      const uri = uriOfRowKey(key);
      const isPosted = key === statementRowKey({ source: LOCAL, document: LOCAL.url, uri });
      const isThere = data.catalog.entriesOf(uri).some(({ origin }) => sameSource(origin.source, LOCAL));
      const isLost = table === 'statement' && isPosted && !isThere;
      return isLost ? [`the description of ${uri} that was posted to this node`] : [];
    });
    return {
      damaged: [...losses.map(lossText), ...(others > 0 ? [`${quads} are not what was written`] : [])],
      rebuilt: [...(restored > 0 ? [posted] : []), ...(others > 0 ? [`${quads}, from the rows`] : [])],
      lost: [...lost, ...(isReadAgain ? READ_AGAIN : [])],
    };
  } finally {
    await registry.close();
  }
}
