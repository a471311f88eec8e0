import type { Description } from '../../src/catalog/description.js';
import type { Metadata } from '../../src/component/metadata.js';
import { metadataSchema } from '../../src/component/metadata.js';
import { shapeIri } from '../../src/component/shape-names.js';
import { type Source, STARTER } from '../../src/component/source.js';
import type { MatchCandidate } from '../../src/core/match.js';
import { groupVersions } from '../../src/http/versions/version-groups.js';

/**
 * The components of the starter set that documents are judged against, by their labels. One that the set has and this list has
 * not was not judged yet, and does not take part.
 */
const JUDGED =
  `Contact; Details of an address book; Details of a group; Organization (vCard); Person (FOAF); Agent (FOAF);
Profile document; Organization (FOAF); Person (schema.org); Organization (schema.org); Contact point; Bookmark; Details of a chat;
Participation; Chat message; Meeting; Event (iCalendar); Calendar; Event (schema.org); Tracker; Task; Thing to do; Note;
Article (ActivityStreams); Note (schema.org); Annotation; Type index; Type registration; Preferences; Storage; Recipe; Film;
Watched film; Book; Piece of music; Video; Picture; Article (schema.org); Review; Picture (FOAF); Place; Point on the globe; Product;
Pet; Project; Concept; Dataset; Post; Web page; Anything; Person; Folder; Address book or group; Chat; Image; Sound and video;
Markdown; Document; RDF source; Graph; PodOS browser; SolidOS data browser; Penny;
Solid File Manager; Umai; dokieli; dokieli graph`
    .split(';')
    .map((name) => name.trim());

/** Components of others, as such describe theirs: label, whether the operator answers for it, classes, media types, action. */
const OTHERS: readonly (readonly [string, 'configured' | 'learned', string, string?, string?])[] = [
  ['Profile card', 'configured', 'foaf:Person vcard:Individual'],
  ['Recipe card', 'configured', 'http://schema.org/Recipe'],
  ['Event list', 'configured', 'http://schema.org/Event'],
  ['Calendar week', 'configured', 'ical:Vevent ical:Vcalendar'],
  ['Article reader', 'configured', 'schema:Article schema:NewsArticle schema:BlogPosting'],
  ['Organization card', 'configured', 'org:Organization foaf:Organization schema:Organization'],
  ['Map', 'configured', 'geo:Point schema:Place schema:GeoCoordinates schema:GeoShape'],
  ['Task board', 'configured', 'wf:Tracker wf:Task'],
  ['Gallery', 'configured', 'foaf:Image schema:ImageObject', 'image/*'],
  ['Product card', 'configured', 'http://schema.org/Product'],
  ['Dataset page', 'configured', 'dcat:Dataset dcat:Catalog'],
  [
    'Publication',
    'configured',
    'schema:ScholarlyArticle bibo:AcademicArticle https://shapes.example/publication',
  ],
  ['Person by shape', 'configured', 'https://shapes.example/person.ttl#Person'],
  ['PDF reader', 'configured', '', 'application/pdf'],
  ['Table', 'configured', '', 'text/csv'],
  ['Person editor', 'configured', 'foaf:Person vcard:Individual schema:Person', undefined, 'odrl:modify'],
  ['Fediverse post', 'learned', 'as:Note as:Article'],
  ['Bookmark list', 'learned', 'bookmark:Bookmark'],
  ['Thesaurus', 'learned', 'skos:Concept skos:ConceptScheme'],
  ['Music player', 'learned', 'mo:Track schema:MusicRecording schema:AudioObject'],
];

function others(): MatchCandidate[] {
  return OTHERS.map(([label, trust, classes, accept, action]) => {
    const shapes = classes
      .split(' ')
      .filter((one) => one !== '')
      .map((one) => (one.startsWith('http') ? one : shapeIri(one)));
    const capability = [{ ...(accept ? { accept: [accept] } : {}), ...(action ? { action } : {}) }];
    const metadata: Metadata = {
      uri: `https://components.example/${encodeURIComponent(label)}.js`,
      ...{ label, author: [], tag: [], shapes },
      ...(accept || action ? { capability } : {}),
    };
    const source: Source = { kind: 'pod', url: `https://${trust}.example/` };
    return { metadata, source, trust, since: 0 };
  });
}

interface StarterModule {
  components(
    integrity: () => string,
    packages: Record<string, { name: string; version: string }[]>,
  ): readonly { readonly label: string; readonly shapes?: readonly string[] }[];
}

/** All components that are judged. @throws Error when the starter set has one of them no more: judge anew then */
export async function judgedComponents(): Promise<MatchCandidate[]> {
  const path = '../../starter/components.mjs';
  const { components } = (await import(path)) as StarterModule;
  const noPackages = new Proxy({}, { get: () => [] });
  const described = components(() => `sha384-${'A'.repeat(64)}`, noPackages);
  const starter = described.map(metadataOf).filter(({ label }) => JUDGED.includes(label));
  const gone = JUDGED.filter((name) => !starter.some(({ label }) => label === name));
  if (gone.length > 0) throw new Error(`the starter set has no ${gone.join(', ')}: judge test/matching anew`);
  const of = { source: STARTER, document: 'urn:registry:starter', trust: 'own', since: 0 } as const;
  const heads = groupVersions(
    starter.map((metadata): Description => ({ ...of, metadata, class: 'sample', rank: 0 }) as never),
  ).map(({ head }) => head);
  return [...heads.map((head) => ({ ...head })), ...others()];
}

/** As the node reads it, with an address for the place that the set leaves open. */
function metadataOf(described: unknown): Metadata {
  const text = JSON.stringify(described).replaceAll('"starter:', '"http://localhost/starter/');
  const { author = [], tag = [], shapes = [], ...rest } = JSON.parse(text) as Partial<Metadata>;
  return metadataSchema.parse({ ...rest, author, tag, shapes: [...shapes].sort() }) as Metadata;
}
