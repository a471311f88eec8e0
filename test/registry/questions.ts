import { expect } from 'vitest';
import { descriptionsOf, type Page } from '../../src/catalog/catalog.js';
import { type Description, withMetadata } from '../../src/catalog/description.js';
import { POSTED_FIELDS } from '../../src/catalog/postings.js';
import { canonicalShape, indexedValues } from '../../src/component/canonical-shape.js';
import { compileQuery, type Query } from '../../src/component/query.js';
import { sourceKey } from '../../src/component/source.js';
import { pinText, sinceText, sourceText } from '../../src/component/writing/attribution.js';
import { listingText, servedText } from '../../src/component/writing/listing-text.js';
import { grouped } from '../../src/lib/grouped.js';
import { candidateOf } from '../support/candidate.js';
import { type TestRegistry, VOCABULARY } from '../support/registry.js';

/** What the catalog of a registry is asked, and the naive answers: lists of all that is said, filtered for each question. */

export interface Question {
  readonly query: Query;
  /** Of a page. */
  readonly limit: number;
}

/** More than there are, however few components a page has. */
const PAGES = 20;

/** All that is said of one component, by precedence. */
type Said = readonly [Description, ...Description[]];

const componentsOf = (all: readonly Description[]) => [
  ...grouped(all, ({ metadata }) => metadata.uri).values(),
];

/** Those that match a query. @param all that is said, in the order of uris, then by precedence */
export function matching(all: readonly Description[], asked: Query): Said[] {
  const matches = compileQuery(asked);
  return componentsOf(all).filter(([{ metadata, ...standing }]) => {
    const { uri, author, tag, shapes } = metadata;
    const rendered = shapes.map(canonicalShape);
    return (
      (asked.uri === undefined || asked.uri === uri) &&
      (asked.author ?? []).every((one) => author.includes(one)) &&
      (asked.tag ?? []).every((one) => tag.includes(one)) &&
      (asked.shapes ?? []).every((one) => rendered.includes(canonicalShape(one))) &&
      matches(candidateOf(metadata, standing))
    );
  });
}

function objectOf({ metadata, pin, since, ...standing }: Description, baseUrl: string): string {
  const members = pinText(pin) + sourceText(standing) + sinceText(since);
  return servedText(listingText(metadata, VOCABULARY), baseUrl, members);
}

/** How many components are served with each value. */
function countsOf(served: readonly Description[]) {
  const countsBy = (field: (typeof POSTED_FIELDS)[number]) => {
    const values = served.flatMap(({ metadata }) => [...indexedValues(metadata, field)]);
    return new Map([...grouped(values, (value) => value)].map(([value, { length }]) => [value, length]));
  };
  return Object.fromEntries(POSTED_FIELDS.map((field) => [field, countsBy(field)]));
}

/** The bytes of a page, which are the same whichever way they are asked for. */
function bytesOf({ json }: Page): string {
  if (!json) throw new Error('the page has no bytes');
  // The second and third time it may be kept as one piece.
  const [whole, ...again] = [json.whole(), json.whole(), json.whole(), Buffer.concat([...json.pieces()])].map(
    (one) => Buffer.from(one),
  );
  expect(again.every((bytes) => whole?.equals(bytes))).toBe(true);
  expect(whole?.length).toBe(json.bytes);
  return String(whole);
}

const listed = async (page: Page) => (await descriptionsOf(page)).map(withMetadata);

/**
 * Is a question answered as a list of all that is said answers it, filtered, as a whole and in pages?
 * @returns does a page that was answered with stay what it was?
 */
export async function expectAnswers(
  { catalog }: TestRegistry,
  all: readonly Description[],
  { query, limit }: Question,
  baseUrl: string,
): Promise<() => Promise<void>> {
  const found = matching(all, query);
  const served = found.map(([first]) => first);
  const page = await catalog.page(query);
  const bytes = `[${served.map((one) => objectOf(one, baseUrl)).join()}]\n`;
  const everything = await catalog.page({}, { shadowed: true });
  expect(everything.json).toBeUndefined();
  expect(everything.state.components).toBe(componentsOf(all).length);
  const isAsItWas = async () => {
    expect(await listed(page)).toEqual(served);
    expect(bytesOf(page)).toBe(bytes);
    expect(await listed(everything)).toEqual(all);
  };
  await isAsItWas();

  const paged: Description[] = [];
  for (let after: string | undefined, pages = 0; pages <= PAGES; pages++) {
    const part = await catalog.page(query, { limit, after, shadowed: pages % 2 === 0 });
    const some = await listed(part);
    // No page leads to an empty one.
    if (pages > 0) expect(some).not.toEqual([]);
    paged.push(...some);
    after = part.next;
    if (after === undefined) break;
  }
  expect(paged).toEqual(
    found.flatMap((said, i) => (Math.floor(i / limit) % 2 === 0 ? said : said.slice(0, 1))),
  );
  const behind = await catalog.page(query, { after: served[0]?.metadata.uri ?? '' });
  expect(await listed(behind)).toEqual(served.slice(1));

  for (const most of [undefined, found.length, found.length - 1]) {
    const { total, by } = await catalog.counts(query, most);
    const isTooMany = most !== undefined && most < found.length && Object.keys(query).length > 0;
    expect({ total, by }).toEqual({ total: found.length, by: countsOf(isTooMany ? [] : served) });
  }
  return isAsItWas;
}

/** Is each component told with all that is said of it, and how much is served of each source? */
export async function expectStatements(
  { catalog }: TestRegistry,
  all: readonly Description[],
  baseUrl: string,
): Promise<void> {
  const components = componentsOf(all);
  for (const said of components) {
    const told = await catalog.statements(said[0].metadata.uri);
    expect(told.map(withMetadata)).toEqual(said);
    expect(told.map(({ json }) => String(json))).toEqual(said.map((one) => objectOf(one, baseUrl)));
  }
  const served = grouped(components, ([first]) => sourceKey(first.source));
  expect(await catalog.served()).toEqual(new Map([...served].map(([key, { length }]) => [key, length])));
}
