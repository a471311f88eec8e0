import { once } from '../lib/once.js';
import { shapeIri, shapeName } from './shape-names.js';

/**
 * Classes that are more general than others, by their vocabularies (rdfs:subClassOf, or the hierarchy of schema.org): every
 * member of one of the others is also one of theirs. A component for the general class shows such data without what is special
 * about it. A class without a prefix belongs to the same vocabulary.
 */
const SUBCLASSES: Readonly<Record<string, string>> = {
  'foaf:Agent': 'Person Organization Group',
  'org:Organization': 'FormalOrganization OrganizationalUnit',
  'vcard:Individual': 'VCard',
  'schema:Organization':
    'LocalBusiness Corporation NGO EducationalOrganization GovernmentOrganization NewsMediaOrganization MusicGroup SportsTeam',
  'schema:Place': 'LocalBusiness City Country TouristAttraction Landform CivicStructure',
  'schema:LocalBusiness': 'Restaurant Store',
  'schema:EducationalOrganization': 'CollegeOrUniversity',
  'schema:Article': 'NewsArticle ScholarlyArticle TechArticle Report SocialMediaPosting',
  'schema:SocialMediaPosting': 'BlogPosting DiscussionForumPosting',
  'schema:BlogPosting': 'LiveBlogPosting',
  'schema:TextDigitalDocument': 'NoteDigitalDocument',
  'schema:Review': 'CriticReview UserReview',
  'schema:WebPage': 'AboutPage CollectionPage FAQPage ItemPage ProfilePage',
  'schema:Event':
    'MusicEvent BusinessEvent SocialEvent SportsEvent TheaterEvent EducationEvent Festival ExhibitionEvent',
  'schema:CivicStructure': 'Museum Airport Park',
  'schema:MediaObject': 'ImageObject VideoObject AudioObject',
  'schema:ImageObject': 'Barcode',
  'schema:CreativeWork':
    'MediaObject Article Book Movie HowTo Review WebPage MusicRecording Photograph Dataset SoftwareApplication SoftwareSourceCode DigitalDocument',
  'schema:Book': 'Audiobook',
  'schema:AudioObject': 'Audiobook',
  'schema:HowTo': 'Recipe',
  'schema:DigitalDocument': 'TextDigitalDocument',
  'schema:Product': 'ProductModel IndividualProduct Vehicle',
  'schema:Vehicle': 'Car',
  'schema:SoftwareApplication': 'MobileApplication WebApplication VideoGame',
  'schema:Action': 'PlanAction CreateAction ConsumeAction',
  'schema:ConsumeAction': 'WatchAction ReadAction ListenAction',
  'as:Collection': 'OrderedCollection CollectionPage',
  'as:OrderedCollection': 'OrderedCollectionPage',
  'ldp:Container': 'BasicContainer DirectContainer IndirectContainer',
  'wf:Task': 'Open Closed',
  'prov:Agent': 'Person Organization',
  'meeting:Chat': 'LongChat',
  'sioc:Item': 'Post',
  'solid:TypeIndex': 'ListedDocument UnlistedDocument',
  'dbo:Animal': 'Cat Dog Mammal Bird',
};

/** By canonical IRI of a class, those that are more general. */
const moreGeneralThan = once((): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, readonly string[]>();
  for (const [general, special] of Object.entries(SUBCLASSES)) {
    const prefix = general.slice(0, general.indexOf(':') + 1);
    for (const one of special.split(' ')) {
      const iri = shapeIri(one.includes(':') ? one : prefix + one);
      found.set(iri, [...(found.get(iri) ?? []), shapeIri(general)]);
    }
  }
  return found;
});

/** Where it is said that classes of two vocabularies are alike, or that the one was made for what the other is used for. */
const SOURCES = {
  foaf: 'http://xmlns.com/foaf/spec/20140114.rdf',
  schema: 'https://schema.org/version/latest/schemaorg-current-https.ttl',
  vcard: 'https://www.w3.org/TR/vcard-rdf/',
  org: 'https://www.w3.org/TR/vocab-org/',
  as: 'https://www.w3.org/TR/activitystreams-vocabulary/',
  ical: 'https://www.w3.org/TR/rdfcal/',
  dcat: 'https://www.w3.org/TR/vocab-dcat-3/',
  sioc: 'https://www.w3.org/Submission/sioc-spec/',
  geo: 'https://www.w3.org/2003/01/geo/',
  skos: 'https://www.w3.org/TR/skos-reference/',
  doap: 'https://github.com/ewilderj/doap/wiki',
  solidos: 'https://github.com/SolidOS/solid-panes',
  bibo: 'https://www.dublincore.org/specifications/bibo/bibo/',
  mo: 'http://musicontology.com/specification/',
  dbo: 'https://dbpedia.org/ontology/',
  prov: 'https://www.w3.org/TR/prov-dc/',
  annotea: 'https://www.w3.org/2003/07/Annotea/BookmarkSchema-20030707',
} as const;

/** Classes of different vocabularies for much the same things: where it is said, and what gets lost either way. */
type Alike = readonly [one: string, others: string, source: keyof typeof SOURCES, loss: string];

/** What is lost where these have other properties in the other vocabulary. */
const others = (what: string) => `${what} have other properties there`;
const PEOPLE = others('name, picture and addresses');
const GROUPS = others('name, logo and members');
const TIMES = others('title, times and place');
const TEXTS = others('title, text, author and date');

const ALIKE: readonly Alike[] = [
  ['schema:Person', 'foaf:Person', 'schema', PEOPLE],
  ['vcard:Individual', 'foaf:Person schema:Person', 'vcard', PEOPLE],
  ['as:Person', 'foaf:Person vcard:Individual schema:Person', 'as', PEOPLE],
  ['org:Organization', 'foaf:Organization schema:Organization', 'org', GROUPS],
  ['org:Organization', 'vcard:Organization', 'vcard', GROUPS],
  ['schema:Organization', 'foaf:Organization', 'foaf', GROUPS],
  ['vcard:Organization', 'foaf:Organization schema:Organization', 'vcard', GROUPS],
  ['as:Organization', 'foaf:Organization schema:Organization vcard:Organization', 'as', GROUPS],
  ['vcard:Group', 'foaf:Group', 'vcard', GROUPS],
  ['as:Group', 'foaf:Group vcard:Group', 'as', GROUPS],
  ['ical:Vevent', 'schema:Event', 'ical', TIMES],
  ['as:Event', 'schema:Event ical:Vevent', 'as', TIMES],
  ['meeting:Meeting', 'ical:Vevent', 'solidos', 'its tools and attendees are not of the calendar'],
  ['meeting:Meeting', 'schema:Event', 'solidos', TIMES],
  ['wf:Task', 'ical:Vtodo', 'solidos', TIMES],
  ['wf:Task', 'schema:Action', 'solidos', others('tracker, assignee and state')],
  ['ical:Vtodo', 'schema:Action', 'ical', TIMES],
  ['as:Article', 'schema:Article', 'as', TEXTS],
  ['as:Note', 'schema:TextDigitalDocument', 'as', TEXTS],
  ['as:Note', 'sioc:Post', 'sioc', TEXTS],
  ['as:Note', 'schema:SocialMediaPosting', 'as', TEXTS],
  ['sioc:Post', 'schema:SocialMediaPosting', 'sioc', TEXTS],
  ['wf:Message', 'sioc:Post', 'solidos', 'the text has the same property, author and date have others'],
  ['wf:Message', 'as:Note', 'solidos', TEXTS],
  ['foaf:Image', 'schema:ImageObject', 'foaf', others('address, title and what is shown')],
  ['as:Image', 'schema:ImageObject foaf:Image', 'as', others('address and title')],
  ['as:Video', 'schema:VideoObject', 'as', others('address and title')],
  ['as:Audio', 'schema:AudioObject', 'as', others('address and title')],
  ['as:Document', 'foaf:Document', 'as', TEXTS],
  ['as:Page', 'schema:WebPage', 'as', TEXTS],
  ['as:Place', 'schema:Place', 'as', others('address and position')],
  ['geo:Point', 'schema:GeoCoordinates', 'geo', others('latitude and longitude')],
  ['geo:Point', 'schema:Place', 'geo', 'only the position is read'],
  ['geo:SpatialThing', 'geo:Point', 'geo', 'whatever is more than a point'],
  ['vcard:Location', 'schema:Place', 'vcard', others('address and position')],
  ['dcat:Dataset', 'schema:Dataset', 'dcat', others('title, files and licence')],
  ['skos:Concept', 'schema:DefinedTerm', 'skos', others('labels and what is broader or narrower')],
  [
    'doap:Project',
    'schema:SoftwareSourceCode schema:SoftwareApplication',
    'doap',
    others('name, repository and licence'),
  ],
  ['bibo:Book', 'schema:Book', 'bibo', others('title, authors and number')],
  ['mo:Track', 'schema:MusicRecording', 'mo', others('title, artist and album')],
  ['schema:Photograph', 'schema:ImageObject', 'schema', 'it tells of the picture, not of a file'],
  ['bibo:AcademicArticle', 'schema:ScholarlyArticle', 'bibo', TEXTS],
  ['dbo:Person', 'schema:Person foaf:Person', 'dbo', PEOPLE],
  ['dbo:Organisation', 'schema:Organization', 'dbo', GROUPS],
  ['dbo:Place', 'schema:Place', 'dbo', others('address and position')],
  ['dbo:Film', 'schema:Movie', 'dbo', others('title, people and dates')],
  ['dbo:Book', 'schema:Book', 'dbo', others('title, authors and number')],
  ['prov:Agent', 'foaf:Agent', 'prov', others('name and addresses')],
  ['bookmark:Bookmark', 'schema:WebPage', 'annotea', 'the address that it recalls is taken for its own'],
  ['schema:BookmarkAction', 'bookmark:Bookmark', 'annotea', others('title and address')],
];

/** A class that a component may render although data is of another one. */
export interface CloseClass {
  readonly name: string;
  /** The class of the data. */
  readonly to: string;
  /** Steps through the tables: the fewer, the closer. */
  readonly steps: number;
  /** What gets lost, as part of a sentence, and who says that the classes are close: a URL. */
  readonly loss: string;
  readonly source: string;
}

type Step = Omit<CloseClass, 'to' | 'steps'>;

const stepsFrom = once((): ReadonlyMap<string, readonly Step[]> => {
  const steps = new Map<string, Step[]>();
  const add = (from: string, step: Step) => steps.set(from, [...(steps.get(from) ?? []), step]);
  for (const [source, general] of moreGeneralThan()) {
    const loss = `what is special about ${shapeName(source)} is not shown`;
    for (const name of general) add(source, { name, loss, source });
  }
  for (const [named, others, source, loss] of ALIKE) {
    const one = shapeIri(named);
    for (const other of others.split(' ').map(shapeIri)) {
      add(one, { name: other, loss, source: SOURCES[source] });
      add(other, { name: one, loss, source: SOURCES[source] });
    }
  }
  return steps;
});

/** Steps beyond which nothing is close any more. */
export const FARTHEST = 3;

/** The classes that are close to one (its canonical IRI), the closest first; itself not among them. */
export function closeClasses(name: string): CloseClass[] {
  const found = new Map<string, CloseClass>();
  let reached = [name];
  for (let steps = 1; steps <= FARTHEST; steps++) {
    const next: string[] = [];
    for (const from of reached) {
      for (const step of stepsFrom().get(from) ?? []) {
        if (step.name === name || found.has(step.name)) continue;
        found.set(step.name, { ...step, to: name, steps, loss: lossOn(found.get(from), step.loss) });
        next.push(step.name);
      }
    }
    reached = next;
  }
  return [...found.values()];
}

function lossOn(before: CloseClass | undefined, loss: string): string {
  return before && before.loss !== loss ? `${before.loss}; ${loss}` : loss;
}

/** The more general classes of one, whatever the steps: of data that names both, the special one tells more. */
export function moreGeneral(name: string): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [...(moreGeneralThan().get(name) ?? [])];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (found.has(at)) continue;
    found.add(at);
    waiting.push(...(moreGeneralThan().get(at) ?? []));
  }
  return found;
}
