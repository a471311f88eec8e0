/**
 * A registry in a process of its own, on disk (`disk <directory>`) or in a database (`postgres <url>`). Told what to do, it
 * does it and tells how long that took, in ms.
 */
import type { Source } from '../../src/component/source.js';
import type { DocumentChange } from '../../src/core/document-change.js';
import { openInDatabase, openOnDisk } from './open-registry.js';
import { releasesOf, sampleComponents } from './sample-data.js';

/** A document of so many components, of which every so-and-so-many-th has another release than the others. */
export interface WriteOrder {
  /** The pod that has it; the node's own graph when absent, to which it is added. */
  readonly pod?: string;
  readonly from: number;
  readonly to: number;
  /** Every so-and-so-many-th component says something new in round `round`. */
  readonly changed?: { readonly every: number; readonly round: number };
  /** Only what is new is handed over, as by a feed, and not the whole document. */
  readonly amend?: boolean;
}

const [engine = '', place = ''] = process.argv.slice(2);
const opening = engine === 'disk' ? openOnDisk(place) : openInDatabase(place);

async function write(order: WriteOrder): Promise<number> {
  const { registry } = await opening;
  const { pod } = order;
  const document = documentOf(order, pod ?? '');
  const source: Source = { kind: 'pod', url: pod ?? '' };
  const started = performance.now();
  if (pod === undefined) await registry.commitOwn({ put: document.components ?? [] });
  else await registry.commit({ source, documents: [document], record: () => ({ failures: 0 }) });
  return performance.now() - started;
}

/** What is new is told by the label: the address of a component stays, as that of a document that is edited. */
function documentOf({ from, to, changed, amend = false }: WriteOrder, pod: string): DocumentChange {
  const { every, round } = changed ?? { every: Number.POSITIVE_INFINITY, round: 0 };
  const components = [...sampleComponents(from, to, releasesOf(undefined))];
  const said = components.map((one, i) =>
    i % every === 0 ? { ...one, label: `${one.label} ${round}` } : one,
  );
  const url = `${pod}components.ttl`;
  if (!amend) return { url, components: said, record: {} };
  return { url, amend: { put: said.filter((_, i) => i % every === 0) }, record: {} };
}

process.on('message', (order: WriteOrder) => {
  write(order).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
