import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { PROV, type Vocabulary, XSD_DATE_TIME } from '../vocabulary.js';
import { type Attribution, dateText } from './provenance-text.js';

const { namedNode, literal, quad } = DataFactory;

/** Who says something, and since when (ms since the Unix epoch). */
export interface DatedAttribution extends Attribution {
  readonly since: number;
}

/** Who describes a component, as quads about its address (PROV-O). */
export function attributionQuads(
  { source, document, trust, since }: DatedAttribution,
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
  ];
}

/** The same as members of an expanded JSON-LD object. */
export function attributionMembers(
  { source, document, trust, since }: DatedAttribution,
  { attribution }: Vocabulary,
): Record<string, unknown> {
  return {
    [PROV.source]: [{ '@id': source.url }],
    [PROV.document]: [{ '@id': document }],
    [PROV.since]: [{ '@value': dateText(since), '@type': XSD_DATE_TIME }],
    [attribution.kind]: [{ '@value': source.kind }],
    [attribution.trust]: [{ '@value': trust }],
  };
}
