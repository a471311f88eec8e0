import { createHash } from 'node:crypto';

/** The names that are used in the store, and the updates that keep it in step: functions from values to texts. */

const RDF_TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const XSD_BOOLEAN = 'http://www.w3.org/2001/XMLSchema#boolean';
const DCT = 'http://purl.org/dc/terms/';
const PROV_SOURCE = 'http://www.w3.org/ns/prov#wasAttributedTo';

/** Longer names are replaced by their hash: Virtuoso cuts IRIs off after some 1,880 characters, without saying so. */
const LONGEST_NAME = 1000;

/**
 * Every name begins with the URL of the node, so that one store can follow several. What one document of one source says
 * is in a graph of its own, because documents of different sources may have one URL.
 */
export function namesOf(node, vocabulary) {
  const feed = `${node}/feed`;
  const short = (name) =>
    name.length <= LONGEST_NAME ? name : `${feed}#sha256-${createHash('sha256').update(name).digest('hex')}`;
  const address = ({ kind, url }) => `${feed}/source?${new URLSearchParams({ kind, url })}`;
  const source = (line) => short(address(line));
  return {
    ...{ feed, vocabulary, source },
    graph: (from, document) => short(`${address(from)}#${encodeURIComponent(document)}`),
    /** What is in the store is listed in one of these graphs; into the other one everything can be read anew. */
    indexes: [`${feed}#index-a`, `${feed}#index-b`],
    /** The predicates that say where the store stands begin with this. */
    state: `${vocabulary}feed-`,
  };
}

export const STATE_QUERY = ({ feed, state }) =>
  `SELECT ?p ?o WHERE { GRAPH ${iri(feed)} { ${iri(feed)} ?p ?o } FILTER(STRSTARTS(STR(?p), ${text(state)})) }`;

/** How many statements there are of each source: listed, and really there. */
export const countQuery = ({ vocabulary }, { index }) =>
  `SELECT ?s (COUNT(?c) AS ?n) WHERE { GRAPH ${iri(index)} { ?g ${iri(PROV_SOURCE)} ?s ; ${iri(`${DCT}subject`)} ?c }
  GRAPH ?g { ?c a ${iri(`${vocabulary}component`)} } } GROUP BY ?s`;

/** Everything is to be read. What is there stays, and is served, until all of it is replaced. */
export function beginningUpdate(names, { cursor, index }) {
  const loading = names.indexes.find((name) => name !== index);
  return `CLEAR SILENT GRAPH ${iri(loading)} ;\n${stateUpdate(names, { cursor, index, loading })}`;
}

/**
 * The updates that apply a page of the feed to a store in a state, each with the state that it notes: one, unless that
 * were more than `most` triples. The last one of a first load removes what was there before and was not read again.
 */
export function* pageUpdates(names, state, page, most) {
  const { index, loading } = state;
  const listed = loading ?? index;
  const lines = page.sources.map((line) => ({ ...line, isLine: true }));
  const groups = portions([...lines, ...page.changes], most, sizeOf);
  for (const [i, group] of groups.entries()) {
    const isEnd = page.next === undefined && i === groups.length - 1;
    const noted = isEnd ? { cursor: page.cursor, index: listed } : stateAfter(state, page, group);
    const operations = [
      ...lineUpdates(
        names,
        listed,
        group.filter(({ isLine }) => isLine),
      ),
      ...statementUpdates(
        names,
        listed,
        group.filter(({ isLine }) => !isLine),
      ),
      ...(isEnd && loading !== undefined ? sweepUpdates(names, loading) : []),
      stateUpdate(names, noted),
    ];
    yield { state: noted, text: operations.join(' ;\n') };
  }
}

/** On the way. A first load has begun with the state in which the node gave its first page, and goes on behind a position. */
function stateAfter({ cursor, index, loading, since, after }, page, group) {
  const position = group.findLast(({ isLine }) => !isLine)?.position ?? after;
  const isLoading = loading !== undefined && position !== undefined;
  return { cursor, index, loading, since: isLoading ? (since ?? page.cursor) : undefined, after: position };
}

/** Lists of items that are not too many triples together; one at least. */
function portions(items, most, sizeOfItem) {
  const all = [[]];
  let size = 0;
  for (const item of items) {
    if (size > 0 && size + sizeOfItem(item) > most) {
      all.push([]);
      size = 0;
    }
    size += sizeOfItem(item);
    all.at(-1).push(item);
  }
  return all;
}

/** Triples of a change, those of the index included. A line is one, and a removal a row of a list. */
function sizeOf({ component }) {
  return component === undefined ? 1 : 6 + Object.values(component).flat().length;
}

function lineUpdates(names, listed, lines) {
  if (lines.length === 0) return [];
  const rank = iri(`${names.vocabulary}rank`);
  const data = lines.map((line) => `${iri(names.source(line))} ${rank} ${integer(line.rank)} .`);
  return [
    rankRemoval(listed, rank, lines.map(names.source)),
    `INSERT DATA { GRAPH ${iri(listed)} {\n${data.join('\n')}\n} }`,
  ];
}

function statementUpdates(names, listed, changes) {
  const about = changes.map((change) => ({ ...change, name: names.graph(change.source, change.graph) }));
  const gone = about.filter(({ type }) => type === 'Delete');
  const come = about.filter(({ type }) => type !== 'Delete');
  const removed = [
    ...removal(about, 'GRAPH ?g { ?c ?p ?o }'),
    ...removal(gone, `GRAPH ${iri(listed)} { ?g ${iri(`${DCT}subject`)} ?c }`),
  ];
  if (come.length === 0) return removed;
  const lines = new Set(come.flatMap((change) => listing(names, change)));
  const data = [
    ...come.map((change) => `GRAPH ${iri(change.name)} { ${describing(names, change.component)} }`),
    `GRAPH ${iri(listed)} { ${[...lines].join('\n')} }`,
  ];
  const rank = iri(`${names.vocabulary}rank`);
  const ranked = come.map(({ name }) => name);
  return [...removed, rankRemoval(listed, rank, ranked), `INSERT DATA {\n${data.join('\n')}\n}`];
}

/** Removes what a pattern finds for each of some statements. (Virtuoso takes much longer for a DELETE WHERE of each.) */
function removal(statements, pattern) {
  if (statements.length === 0) return [];
  const rows = statements.map(({ name, uri }) => `(${iri(name)} ${iri(uri)})`).join('\n');
  return [`DELETE { ${pattern} } WHERE { VALUES (?g ?c) {\n${rows}\n} ${pattern} }`];
}

function rankRemoval(listed, rank, ranked) {
  const rows = [...new Set(ranked)].map(iri).join('\n');
  const pattern = `GRAPH ${iri(listed)} { ?x ${rank} ?r }`;
  return `DELETE { ${pattern} } WHERE { VALUES ?x {\n${rows}\n} ${pattern} }`;
}

/** Removes what is not listed in an index, and the other index. */
function sweepUpdates({ feed, vocabulary, indexes }, listed) {
  const other = indexes.find((name) => name !== listed);
  const isOurs = [`${feed}/source`, `${feed}#sha256-`].map((start) => `STRSTARTS(STR(?g), ${text(start)})`);
  return [
    `DELETE { GRAPH ?g { ?c ?p ?o } } WHERE { GRAPH ?g { ?c a ${iri(`${vocabulary}component`)} ; ?p ?o }
  FILTER(${isOurs.join(' || ')})
  FILTER NOT EXISTS { GRAPH ${iri(listed)} { ?g ${iri(`${DCT}subject`)} ?c } } }`,
    `CLEAR SILENT GRAPH ${iri(other)}`,
  ];
}

function stateUpdate({ feed, state }, noted) {
  const all = Object.entries(noted).filter(([, value]) => value !== undefined);
  const triples = all.map(([name, value]) => `${iri(feed)} ${iri(state + name)} ${text(value)} .`);
  const about = `GRAPH ${iri(feed)} { ${iri(feed)} ?p ?o }`;
  return `DELETE WHERE { ${about} } ;\nINSERT DATA { GRAPH ${iri(feed)} { ${triples.join('\n')} } }`;
}

/** What the index says of a statement, and of its document. */
function listing({ vocabulary, source: nameOf }, { name, source, graph, uri, rank = 0 }) {
  return [
    `${iri(name)} ${iri(`${DCT}subject`)} ${iri(uri)} .`,
    `${iri(name)} ${iri(`${DCT}source`)} ${iri(graph)} .`,
    `${iri(name)} ${iri(PROV_SOURCE)} ${iri(nameOf(source))} .`,
    `${iri(name)} ${iri(`${vocabulary}rank`)} ${integer(rank)} .`,
  ];
}

/** What a document says of a component, as the node writes it in Turtle. */
function describing({ vocabulary }, component) {
  const { latest, uri, shapes = [], author = [], tag = [], ...texts } = component;
  const values = [
    ...[`${iri(RDF_TYPE)} ${iri(`${vocabulary}component`)}`, `${iri(`${vocabulary}uri`)} ${iri(uri)}`],
    ...['label', 'description', 'version'].flatMap((field) => valuesOf(field, [texts[field]])),
    ...(latest === undefined
      ? []
      : [`${iri(`${vocabulary}latest`)} "${latest === true}"^^${iri(XSD_BOOLEAN)}`]),
    ...[...valuesOf('author', author), ...valuesOf('tag', tag)],
    ...shapes.map((shape) => `${iri(`${vocabulary}shapes`)} ${iri(shape)}`),
  ];
  return `${iri(uri)} ${values.join(' ; ')} .`;

  function valuesOf(field, list) {
    return list
      .filter((value) => value !== undefined)
      .map((value) => `${iri(vocabulary + field)} ${text(value)}`);
  }
}

/** @throws Error for what would end the IRI in the middle of an update, and so could say anything */
function iri(value) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 3987 forbids them in IRIs
  if (/[\u0000-\u0020<>"{}|\\^`]/.test(value)) throw new Error(`${JSON.stringify(value)} is no IRI`);
  return `<${value}>`;
}

const ESCAPES = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r' };

/** A literal (SPARQL 1.1, section 19.8, STRING_LITERAL2). */
function text(value) {
  return `"${String(value).replace(/["\\\n\r]/g, (character) => ESCAPES[character])}"`;
}

function integer(value) {
  if (!Number.isSafeInteger(value)) throw new Error(`${value} is no whole number`);
  return String(value);
}
