import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** Writes a file; a pod server's `put` is one. */
type Put = (path: string, body: string, contentType: string) => Promise<void>;

/** Components that work, of those that are shipped, each with a document that describes it. */
export const SAMPLE_COMPONENTS = ['profile-card', 'shopping-list'] as const;

/**
 * Puts the sample components into a container (a path with a trailing slash): modules and metadata. The documents
 * name their modules by relative IRIs, so they are right wherever they are put.
 */
export async function putSampleComponents(put: Put, container: string): Promise<void> {
  for (const name of SAMPLE_COMPONENTS) {
    await put(`${container}${name}.js`, await componentFile(`${name}.js`), 'text/javascript');
    await put(`${container}${name}.ttl`, await componentFile(`${name}.ttl`), 'text/turtle');
  }
}

/** Data that the sample components show: a profile and a list, in a container of their own. */
export async function putSampleData(put: Put, container: string): Promise<void> {
  await put(`${container}alice.ttl`, ALICE, 'text/turtle');
  await put(`${container}groceries.ttl`, GROCERIES, 'text/turtle');
}

/** A module for tests, or one that is shipped. */
export async function componentFile(path: string): Promise<string> {
  const file = new URL(`../fixtures/components/${path}`, import.meta.url);
  return readFile(existsSync(file) ? file : new URL(`../../docs/samples/${path}`, import.meta.url), 'utf8');
}

const ALICE = `@prefix foaf: <http://xmlns.com/foaf/0.1/>. @prefix vcard: <http://www.w3.org/2006/vcard/ns#>.
<> a foaf:PersonalProfileDocument; foaf:primaryTopic <#me>.
<#me> a foaf:Person; foaf:name "Alice Ardent"; vcard:role "Gardener"; vcard:hasEmail <mailto:alice@example.org>.
`;

const GROCERIES = `@prefix schema: <https://schema.org/>.
<> a schema:ItemList; schema:itemListElement "Milk", "Bread".
`;
