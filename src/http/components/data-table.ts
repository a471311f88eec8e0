import { createHash } from 'node:crypto';
import type { Catalog } from '../../catalog/catalog.js';
import type { Description } from '../../catalog/description.js';
import { SAMPLES } from '../../component/source.js';
import type { Assets } from '../assets/asset.js';

const RDFS_RESOURCE = 'http://www.w3.org/2000/01/rdf-schema#Resource';
const FILE = 'data-table.js';

export function dataTableUri(baseUrl: string): string {
  return `${baseUrl}/${FILE}`;
}

/**
 * The component that every node has: it shows any data as a table. It is described, pinned and loaded as every other, and is
 * in no list, so that a registry in which nobody has described anything is empty. Undefined when it has not been built.
 */
export function dataTable(
  assets: Assets,
  {
    baseUrl,
    version,
    since,
  }: { readonly baseUrl: string; readonly version: string } & Pick<Description, 'since'>,
): Description | undefined {
  const module = assets(FILE);
  if (!module) return undefined;
  const integrity = `sha384-${createHash('sha384').update(module.text).digest('base64')}`;
  return {
    metadata: {
      uri: dataTableUri(baseUrl),
      label: 'Data table',
      version,
      latest: true,
      integrity,
      description: 'What any document says in RDF, as tables of names and values.',
      author: ['Component registry node'],
      tag: ['data-table'],
      shapes: [RDFS_RESOURCE],
      capability: [{ action: 'odrl:display', resourceType: [RDFS_RESOURCE] }],
    },
    source: SAMPLES,
    document: SAMPLES.url,
    trust: 'own',
    class: 'sample',
    rank: 0,
    since,
  };
}

/** What is said of a component; of the table, what the node says where nobody else does. */
export function withDataTable(
  catalog: Pick<Catalog, 'statements'>,
  table: () => Description | undefined,
): Pick<Catalog, 'statements'> {
  return {
    statements: async (uri) => {
      const said = await catalog.statements(uri);
      const own = said.length === 0 ? table() : undefined;
      return own?.metadata.uri === uri ? [own] : said;
    },
  };
}
