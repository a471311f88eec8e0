import type { Quad, Quad_Subject } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { Pin } from '../pin.js';
import { PROV, type Vocabulary, XSD_DATE_TIME } from '../vocabulary.js';
import { type Attribution, dateText } from './provenance-text.js';

const { namedNode, literal, quad } = DataFactory;

/** Who says something, and since when (ms since the Unix epoch); and which bytes of the module the node has seen. */
export interface DatedAttribution extends Attribution {
  readonly since: number;
  readonly pin?: Pin | undefined;
}

/** Who describes a component, as quads about its address (PROV-O). */
export function attributionQuads(
  { source, document, trust, since, pin }: DatedAttribution,
  { attribution }: Vocabulary,
  subject: string,
): Quad[] {
  const about = namedNode(subject);
  return [
    quad(about, namedNode(PROV.source), namedNode(source.url)),
    quad(about, namedNode(PROV.document), namedNode(document)),
    quad(about, namedNode(PROV.since), literal(dateText(since), namedNode(XSD_DATE_TIME))),
    quad(about, namedNode(attribution.kind), literal(source.kind)),
    quad(about, namedNode(attribution.trust), literal(trust)),
    ...pinQuads(about, pin, attribution),
  ];
}

/** What the node has seen of the module's bytes, as quads. */
export function pinQuads(
  about: Quad_Subject,
  pin: Pin | undefined,
  terms: Vocabulary['attribution'],
): Quad[] {
  if (!pin) return [];
  const { integrity, changed } = pin;
  return [
    quad(about, namedNode(terms.pin), literal(integrity)),
    ...(changed === undefined ? [] : [quad(about, namedNode(terms.changed), literal(changed))]),
  ];
}
