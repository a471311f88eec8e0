import { shapeName } from '../../component/shape-names.js';
import { ComponentElement } from '../../host/component-element.js';
import { documentOf, topicsOf } from '../../host/graph-shapes.js';
import type { Quad, Term } from '../../host/quad.js';
import { grouped } from '../../lib/grouped.js';
import { element } from './element.js';

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
/** Properties that name a thing, by the ends of their IRIs, the best first. */
const NAMES = ['prefLabel', 'fn', 'name', 'label', 'title', 'summary', 'nick'];
/** Things that are shown of one document. */
const MOST = 100;

const STYLE = `
:host { display: block; font: 1rem/1.5 system-ui, sans-serif; color: CanvasText; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; margin: 0 0 1rem; }
caption { text-align: start; font-weight: bold; padding: .3rem 0; }
th, td { text-align: start; vertical-align: top; padding: .3rem .5rem .3rem 0; border-top: 1px solid #8886; }
th { font-weight: normal; width: 30%; } td > table { margin: 0; }`;

/** What a document says of each thing. */
type Graph = ReadonlyMap<string, readonly Quad[]>;

/**
 * Shows any RDF as plain tables, one for each thing that a document speaks of, with a row for each property. Every node
 * serves it, and shows data with it that no component in its list renders.
 */
export default class DataTable extends ComponentElement {
  override async show(entry: string): Promise<void> {
    const quads = await this.readData(entry, 'quads');
    const graph = grouped(quads, ({ subject }) => subject.value);
    const things = thingsIn(quads, entry);
    const rest = things.length - MOST;
    const tables = things.slice(0, MOST).map((subject) => table(graph, subject, new Set()));
    const shown = tables.length > 0 ? tables : [element('p', {}, 'This document says nothing.')];
    const more = rest > 0 ? [element('p', {}, `It speaks of ${rest} more things.`)] : [];
    this.root.replaceChildren(element('style', {}, STYLE), ...shown, ...more);
  }
}

/** What the document is about, then what else it describes. Nodes without a name stand where they are mentioned. */
function thingsIn(quads: readonly Quad[], entry: string): string[] {
  const topics = entry === documentOf(entry) ? topicsOf(quads, entry) : [entry];
  const described = new Set(quads.map(({ subject }) => subject.value));
  const mentioned = new Set(quads.map(({ object }) => object.value));
  const others = quads
    .filter(({ subject }) => subject.termType === 'NamedNode' || !mentioned.has(subject.value))
    .map(({ subject }) => subject.value);
  return [...new Set([...topics.filter((topic) => described.has(topic)), ...others])];
}

/** `around`: the nodes within which it stands; one that leads back to them is not shown again. */
function table(graph: Graph, subject: string, around: ReadonlySet<string>): HTMLElement {
  const within = new Set([...around, subject]);
  const rows = grouped(graph.get(subject) ?? [], ({ predicate }) => predicate.value);
  const body = element('tbody');
  for (const [predicate, quads] of rows) {
    const heading = element('th', { scope: 'row', title: predicate }, wordsOf(predicate));
    const values = quads.map(({ object }) => shownValue(graph, object, within));
    body.append(element('tr', {}, heading, element('td', {}, ...values)));
  }
  const caption = around.size === 0 ? element('caption', {}, nameOf(graph, subject)) : undefined;
  return element('table', {}, caption, body);
}

function shownValue(graph: Graph, term: Term, within: ReadonlySet<string>): HTMLElement {
  const { termType, value } = term;
  if (termType === 'Literal') return element('div', { lang: term.language || undefined }, value);
  if (termType === 'NamedNode') {
    const isLink = /^(https?|mailto|tel):/i.test(value);
    const about = { href: value, rel: 'noreferrer' };
    return element('div', {}, isLink ? element('a', about, nameOf(graph, value)) : value);
  }
  if (within.has(value)) return element('div', {}, '…');
  if (!objectOf(graph, value, `${RDF}first`)) return table(graph, value, within);
  const inList = new Set([...within, value]);
  return element('div', {}, ...membersOf(graph, value).map((member) => shownValue(graph, member, inList)));
}

function membersOf(graph: Graph, list: string): Term[] {
  const [members, seen]: [Term[], Set<string>] = [[], new Set()];
  for (let node: string | undefined = list; node !== undefined && !seen.has(node); ) {
    seen.add(node);
    members.push(...[objectOf(graph, node, `${RDF}first`) ?? []].flat());
    node = objectOf(graph, node, `${RDF}rest`)?.value;
  }
  return members;
}

function objectOf(graph: Graph, subject: string, predicate: string): Term | undefined {
  return graph.get(subject)?.find((quad) => quad.predicate.value === predicate)?.object;
}

/** What the data calls a thing; else the end of its IRI, with the prefix of its vocabulary where it has a usual one. */
function nameOf(graph: Graph, subject: string): string {
  const literals = (graph.get(subject) ?? []).filter(({ object }) => object.termType === 'Literal');
  for (const name of NAMES) {
    const named = literals.find(({ predicate }) => predicate.value.replace(/^.*[/#]/s, '') === name);
    if (named?.object.value.trim()) return named.object.value;
  }
  return shapeName(subject);
}

/** `foaf:hasPhoto` reads as `has photo`. */
function wordsOf(predicate: string): string {
  if (predicate === `${RDF}type`) return 'is a';
  const name = shapeName(predicate).replace(/^\w+:/, '');
  return name.replace(/([a-z\d])([A-Z])/g, (_, before, after) => `${before} ${after.toLowerCase()}`);
}
