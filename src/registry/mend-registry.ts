import { documentKey } from '../catalog/entry.js';
import { LOCAL, sameSource } from '../component/source.js';
import type { Findings, Salvage } from '../keep/salvage.js';
import { counted } from '../lib/counted.js';
import { checkDocuments, type QuadCheckParts, restorePosted } from './check-quads.js';
import { type Loss, recover } from './losses.js';
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
export async function mendRegistry(
  salvage: Salvage,
  { registry, losses, checking }: OpenedRegistry,
): Promise<Findings> {
  const { data, writer } = checking;
  try {
    const rows = salvage.rows.filter(({ service }) => service === 'registry');
    // Those whose rows were lost may have been posted again when the registry was opened.
    const before = losses.find(({ source }) => sameSource(source, LOCAL))?.found ?? postedIn(checking);
    await restorePosted(checking, registry);
    const restored = postedIn(checking) - before;
    // Until quads of a former vocabulary have been written anew, they say the same in other words.
    const isTranslating = data.now.serving.former.length > 0;
    const others = isTranslating ? 0 : await checkDocuments(checking);
    const isReadAgain = salvage.isIncomplete || rows.length + losses.length > 0;
    for (const { source } of isReadAgain ? data.now.held.all() : [])
      await writer.write((draft) => recover(source, draft, checking));
    const quads = `the quads about ${counted(others, 'component')}`;
    return {
      damaged: [...losses.map(lossText), ...(others > 0 ? [`${quads} are not what was written`] : [])],
      rebuilt: [
        ...(restored > 0
          ? [`${counted(restored, 'component')} posted to this node, from what is left of the quads`]
          : []),
        ...(others > 0 ? [`${quads}, from the rows`] : []),
      ],
      lost: [...lostPosted(rows, checking), ...(isReadAgain ? READ_AGAIN : [])],
    };
  } finally {
    await registry.close();
  }
}

function postedIn({ data }: QuadCheckParts): number {
  return data.catalog.document(documentKey({ source: LOCAL, document: LOCAL.url })).said.length;
}

function lossText({ source: { kind, url }, expected, found }: Loss): string {
  const stored = `descriptions of the ${kind} ${url} have been stored`;
  return found === expected
    ? `the ${expected} ${stored} otherwise than they are there`
    : `${expected} ${stored}, and ${found} are there`;
}

/** What was posted, and neither rows nor quads tell any more. */
function lostPosted(rows: Salvage['rows'], { data }: QuadCheckParts): string[] {
  const own = documentKey({ source: LOCAL, document: LOCAL.url });
  return rows.flatMap(({ table, key }) => {
    const uri = uriOfRowKey(key);
    const isPosted = table === 'statement' && key === statementRowKey(uri, own);
    const isThere = data.catalog.entriesOf(uri).some(({ origin }) => sameSource(origin.source, LOCAL));
    return isPosted && !isThere ? [`the description of ${uri} that was posted to this node`] : [];
  });
}
