import { DataFactory } from 'n3';
import { documentKey } from '../catalog/entry.js';
import { LOCAL, sameSource } from '../component/source.js';
import type { Findings, Salvage } from '../keep/salvage.js';
import { counted } from '../lib/counted.js';
import { checkDocument, type QuadCheckParts, restorePosted } from './check-quads.js';
import { graphName, isGraphName } from './graph-name.js';
import { readingAgain } from './losses.js';
import type { OpenedRegistry } from './open-registry.js';
import { NOTHING } from './prepared-commit.js';
import { sourceRowKey, statementRowKey, uriOfRowKey } from './row-keys.js';
import type { Loss } from './statement-sums.js';

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
    const posted = losses.find(({ source }) => sameSource(source, LOCAL));
    const before = posted?.found ?? postedIn(checking);
    await restorePosted(checking, registry);
    const restored = postedIn(checking) - before;
    const others = await comparedQuads(checking);
    await dropOrphans(salvage, checking);
    const isReadAgain = salvage.isIncomplete || rows.length + losses.length > 0;
    for (const { source } of isReadAgain ? [...data.held.all()] : [])
      await writer.write(async () => readingAgain(data.held.source(source)));
    return {
      damaged: [
        ...losses.map(lossText),
        ...(others > 0 ? [`the quads about ${counted(others, 'component')} are not what was written`] : []),
      ],
      rebuilt: [
        ...(restored > 0
          ? [`${counted(restored, 'component')} posted to this node, from what is left of the quads`]
          : []),
        ...(others > 0 ? [`the quads about ${counted(others, 'component')}, from the rows`] : []),
      ],
      lost: [
        ...lostRows(rows, checking),
        ...lostPosted(posted, checking),
        ...(restored > 0 && salvage.quads > 0 ? [PARTS_LOST] : []),
        ...(isReadAgain ? READ_AGAIN : []),
      ],
    };
  } finally {
    await registry.close();
  }
}

const PARTS_LOST =
  'perhaps parts of the descriptions that were made from quads, because some quads cannot be read: look at them, and post them again';

const READ_AGAIN = [
  'perhaps the latest changes; all pods and peers will be read again in full at the next start',
  'what was posted to this node, and is not listed any more, has to be posted again',
];

function postedIn({ data }: QuadCheckParts): number {
  return data.catalog.document(documentKey({ source: LOCAL, document: LOCAL.url })).said.length;
}

/** Compares all quads with the rows, and writes those anew that differ. @returns of how many components */
async function comparedQuads(checking: QuadCheckParts): Promise<number> {
  const { held, serving } = checking.data;
  // Until quads of a former vocabulary have been written anew, they say the same in other words.
  if (serving.former.length > 0) return 0;
  let differing = 0;
  for (const { documents } of [...held.all()])
    for (const { origin } of [...documents.values()]) differing += await checkDocument(origin, checking);
  return differing;
}

/** Removes the quads of documents that nothing is remembered of. */
async function dropOrphans({ graphs }: Salvage, { keep, data, writer }: QuadCheckParts): Promise<void> {
  const known = new Set<string>();
  for (const { source, documents } of data.held.all())
    for (const document of documents.keys()) known.add(graphName(source, document));
  for (const name of graphs) {
    if (!isGraphName(name) || known.has(name)) continue;
    for await (const remove of keep.quads([DataFactory.namedNode(name)]))
      await writer.write(async () => ({ ...NOTHING, quads: { remove } }));
  }
}

function lossText({ source: { kind, url }, expected, found }: Loss): string {
  const stored = `descriptions of the ${kind} ${url} have been stored`;
  return found === expected
    ? `the ${expected} ${stored} otherwise than they are there`
    : `${expected} ${stored}, and ${found} are there`;
}

function lostRows(rows: Salvage['rows'], checking: QuadCheckParts): string[] {
  const { catalog } = checking.data;
  const isListed = (uri: string) =>
    catalog.entriesOf(uri).some(({ origin }) => sameSource(origin.source, LOCAL));
  const own = documentKey({ source: LOCAL, document: LOCAL.url });
  const posted = rows
    .filter(({ table, key }) => table === 'statement' && key === statementRowKey(uriOfRowKey(key), own))
    .map(({ key }) => uriOfRowKey(key))
    .filter((uri) => !isListed(uri));
  const pins = rows.filter(({ table }) => table === 'pin').length;
  const isUndecided = rows.some(({ table, key }) => table === 'source' && key === sourceRowKey(LOCAL));
  return [
    ...posted.map((uri) => `the description of ${uri} that was posted to this node`),
    ...(pins > 0 ? [`which bytes were seen first of ${counted(pins, 'module')}`] : []),
    ...(isUndecided ? ['what was decided about announced addresses'] : []),
  ];
}

function lostPosted(loss: Loss | undefined, checking: QuadCheckParts): string[] {
  const missing = (loss?.expected ?? 0) - postedIn(checking);
  return missing > 0 ? [`${missing} of ${loss?.expected} descriptions that were posted to this node`] : [];
}
