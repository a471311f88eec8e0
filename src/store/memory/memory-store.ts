import { unread } from '../../registry/document-record.js';
import { nextRevision } from '../../registry/revision.js';
import type { LoadOptions, RegistryStore } from '../registry-store.js';
import { MemoryCatalog } from './memory-catalog.js';
import { type MemoryData, type MemorySource, NO_DATA } from './memory-data.js';
import { MemoryPins } from './memory-pins.js';
import { type DataCell, MemoryRegistry } from './memory-registry.js';

/** A store without a disk. It can be loaded again after `close`, as a data directory can. */
export interface MemoryStore extends RegistryStore {
  /** What the disk would hold now; never changed, so that it is a backup. */
  readonly data: MemoryData;
}

/** A store that holds nothing yet, or what a backup holds. */
export function createMemoryStore(data: MemoryData = NO_DATA): MemoryStore {
  const cell: DataCell = { data };
  return {
    get data() {
      return cell.data;
    },
    async load(options) {
      cell.data = upToDate(cell.data, options);
      const catalog = new MemoryCatalog(options.precedence);
      const registry = new MemoryRegistry(cell, catalog, options);
      return { registry, catalog, pins: new MemoryPins(cell, catalog, registry) };
    },
    trouble: undefined,
    async close() {
      // The cell stays, as a disk would.
    },
  };
}

/** Brings the data up to date with the configuration. */
function upToDate(data: MemoryData, { baseUrl, vocabulary, servedAs, clock }: LoadOptions): MemoryData {
  const shown = JSON.stringify([baseUrl, vocabulary.namespace, servedAs]);
  const looksDifferent = data.revision !== undefined && data.servedAs !== shown;
  const isTranslated = data.namespace !== undefined && data.namespace !== vocabulary.namespace;
  return {
    ...data,
    sources: isTranslated ? toBeReadAgain(data.sources) : data.sources,
    revision: looksDifferent && data.revision ? nextRevision(data.revision, clock.now()) : data.revision,
    servedAs: shown,
    namespace: vocabulary.namespace,
  };
}

/** In another vocabulary, the same documents may say something else. */
function toBeReadAgain(sources: MemoryData['sources']): MemoryData['sources'] {
  const forgetful = ({ documents, ...source }: MemorySource): MemorySource => ({
    ...source,
    documents: new Map(
      [...documents].map(([url, { record, components }]) => [url, { record: unread(record), components }]),
    ),
  });
  return new Map([...sources].map(([key, source]) => [key, forgetful(source)]));
}
