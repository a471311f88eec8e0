import type { Quad, Quad_Subject } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { Pin } from '../pin.js';
import type { Source, SourceTrust } from '../source.js';
import { PROV, type Vocabulary, XSD_DATE_TIME } from '../vocabulary.js';

const { namedNode, literal, quad } = DataFactory;

/** Who says something about a component, and how far the node trusts them; and which bytes of the module it has seen. */
interface Attribution {
  readonly source: Source;
  /** URL of the document that says it. */
  readonly document: string;
  readonly trust: SourceTrust;
  /** Ms since the Unix epoch. */
  readonly since: number;
  readonly pin?: Pin | undefined;
}

/** Who describes a component, as quads about its address (PROV-O). */
export function attributionQuads(
  { source, document, trust, since, pin }: Attribution,
  { attribution }: Vocabulary,
  subject: string,
): Quad[] {
  const about = namedNode(subject);
  return [
    quad(about, namedNode(PROV.source), namedNode(source.url)),
    quad(about, namedNode(PROV.document), namedNode(document)),
    quad(about, namedNode(PROV.since), literal(new Date(since).toISOString(), namedNode(XSD_DATE_TIME))),
    quad(about, namedNode(attribution.sourceKind), literal(source.kind)),
    quad(about, namedNode(attribution.sourceTrust), literal(trust)),
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
    ...(changed === undefined ? [] : [quad(about, namedNode(terms.pinChanged), literal(changed))]),
  ];
}

/** The members that say who says it: `"source":{…}`, to be followed by `sinceText`. */
export function sourceText({ source, document, trust }: Omit<Attribution, 'since' | 'pin'>): string {
  return `"source":${JSON.stringify({ url: source.url, document, kind: source.kind, trust })}`;
}

/** The member that says which bytes were seen, and the comma behind it; nothing without a pin. */
export function pinText(pin: Pin | undefined): string {
  if (!pin) return '';
  const { integrity, changed, files, unpinned } = pin;
  return `"pin":${JSON.stringify({ integrity, changed, files, unpinned })},`;
}

/** The member that says since when, and the comma behind it; `at` in ms since the Unix epoch. */
export function sinceText(at: number): string {
  return `,"since":"${new Date(at).toISOString()}",`;
}
