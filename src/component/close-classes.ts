import { once } from '../lib/once.js';
import { shapeIri, shapeName } from './shape-names.js';

/**
 * Classes whose every member is also one of a more general class, as their vocabularies define them (rdfs:subClassOf, or the
 * hierarchy of schema.org). A component for the general class shows such data without what is special about it.
 */
const SUBCLASSES: Readonly<Record<string, string>> = {
  'foaf:Person': 'foaf:Agent',
  'foaf:Organization': 'foaf:Agent',
  'foaf:Group': 'foaf:Agent',
  'org:FormalOrganization': 'org:Organization',
  'org:OrganizationalUnit': 'org:Organization',
  'vcard:VCard': 'vcard:Individual',
  'schema:LocalBusiness': 'schema:Organization schema:Place',
  'schema:Restaurant': 'schema:LocalBusiness',
  'schema:Store': 'schema:LocalBusiness',
  'schema:Corporation': 'schema:Organization',
  'schema:NGO': 'schema:Organization',
  'schema:EducationalOrganization': 'schema:Organization',
  'schema:CollegeOrUniversity': 'schema:EducationalOrganization',
  'schema:GovernmentOrganization': 'schema:Organization',
  'schema:NewsMediaOrganization': 'schema:Organization',
  'schema:MusicGroup': 'schema:Organization',
  'schema:SportsTeam': 'schema:Organization',
  'schema:NewsArticle': 'schema:Article',
  'schema:ScholarlyArticle': 'schema:Article',
  'schema:TechArticle': 'schema:Article',
  'schema:Report': 'schema:Article',
  'schema:SocialMediaPosting': 'schema:Article',
  'schema:BlogPosting': 'schema:SocialMediaPosting',
  'schema:LiveBlogPosting': 'schema:BlogPosting',
  'schema:DiscussionForumPosting': 'schema:SocialMediaPosting',
  'schema:NoteDigitalDocument': 'schema:TextDigitalDocument',
  'schema:CriticReview': 'schema:Review',
  'schema:UserReview': 'schema:Review',
  'schema:AboutPage': 'schema:WebPage',
  'schema:CollectionPage': 'schema:WebPage',
  'schema:FAQPage': 'schema:WebPage',
  'schema:ItemPage': 'schema:WebPage',
  'schema:ProfilePage': 'schema:WebPage',
  'schema:MusicEvent': 'schema:Event',
  'schema:BusinessEvent': 'schema:Event',
  'schema:SocialEvent': 'schema:Event',
  'schema:SportsEvent': 'schema:Event',
  'schema:TheaterEvent': 'schema:Event',
  'schema:EducationEvent': 'schema:Event',
  'schema:Festival': 'schema:Event',
  'schema:ExhibitionEvent': 'schema:Event',
  'schema:City': 'schema:Place',
  'schema:Country': 'schema:Place',
  'schema:TouristAttraction': 'schema:Place',
  'schema:Landform': 'schema:Place',
  'schema:CivicStructure': 'schema:Place',
  'schema:Museum': 'schema:CivicStructure',
  'schema:Airport': 'schema:CivicStructure',
  'schema:Park': 'schema:CivicStructure',
  'schema:ImageObject': 'schema:MediaObject',
  'schema:Barcode': 'schema:ImageObject',
  'schema:VideoObject': 'schema:MediaObject',
  'schema:AudioObject': 'schema:MediaObject',
  'schema:MediaObject': 'schema:CreativeWork',
  'schema:Audiobook': 'schema:Book schema:AudioObject',
  'schema:Article': 'schema:CreativeWork',
  'schema:Book': 'schema:CreativeWork',
  'schema:Movie': 'schema:CreativeWork',
  'schema:Recipe': 'schema:HowTo',
  'schema:HowTo': 'schema:CreativeWork',
  'schema:Review': 'schema:CreativeWork',
  'schema:WebPage': 'schema:CreativeWork',
  'schema:MusicRecording': 'schema:CreativeWork',
  'schema:Photograph': 'schema:CreativeWork',
  'schema:Dataset': 'schema:CreativeWork',
  'schema:SoftwareApplication': 'schema:CreativeWork',
  'schema:SoftwareSourceCode': 'schema:CreativeWork',
  'schema:DigitalDocument': 'schema:CreativeWork',
  'schema:TextDigitalDocument': 'schema:DigitalDocument',
  'schema:ProductModel': 'schema:Product',
  'schema:IndividualProduct': 'schema:Product',
  'schema:Vehicle': 'schema:Product',
  'schema:Car': 'schema:Vehicle',
  'schema:MobileApplication': 'schema:SoftwareApplication',
  'schema:WebApplication': 'schema:SoftwareApplication',
  'schema:VideoGame': 'schema:SoftwareApplication',
  'schema:PlanAction': 'schema:Action',
  'schema:CreateAction': 'schema:Action',
  'schema:ConsumeAction': 'schema:Action',
  'schema:WatchAction': 'schema:ConsumeAction',
  'schema:ReadAction': 'schema:ConsumeAction',
  'schema:ListenAction': 'schema:ConsumeAction',
  'as:OrderedCollection': 'as:Collection',
  'as:CollectionPage': 'as:Collection',
  'as:OrderedCollectionPage': 'as:OrderedCollection',
  'ldp:BasicContainer': 'ldp:Container',
  'ldp:DirectContainer': 'ldp:Container',
  'ldp:IndirectContainer': 'ldp:Container',
  'wf:Open': 'wf:Task',
  'wf:Closed': 'wf:Task',
  'prov:Person': 'prov:Agent',
  'prov:Organization': 'prov:Agent',
  'meeting:LongChat': 'meeting:Chat',
  'sioc:Post': 'sioc:Item',
  'solid:ListedDocument': 'solid:TypeIndex',
  'solid:UnlistedDocument': 'solid:TypeIndex',
  'dbo:Cat': 'dbo:Animal',
  'dbo:Dog': 'dbo:Animal',
  'dbo:Mammal': 'dbo:Animal',
  'dbo:Bird': 'dbo:Animal',
};

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

/** Two classes of different vocabularies for much the same things: where it is said, and what gets lost either way. */
type Pair = readonly [one: string, other: string, source: keyof typeof SOURCES, loss: string];

/** What is lost where these have other properties in the other vocabulary. */
const others = (what: string) => `${what} have other properties there`;
const PEOPLE = others('name, picture and addresses');
const GROUPS = others('name, logo and members');
const TIMES = others('title, times and place');
const TEXTS = others('title, text, author and date');

const ALIKE: readonly Pair[] = [
  ['schema:Person', 'foaf:Person', 'schema', PEOPLE],
  ['vcard:Individual', 'foaf:Person', 'vcard', PEOPLE],
  ['vcard:Individual', 'schema:Person', 'vcard', PEOPLE],
  ['as:Person', 'foaf:Person', 'as', PEOPLE],
  ['as:Person', 'vcard:Individual', 'as', PEOPLE],
  ['as:Person', 'schema:Person', 'as', PEOPLE],
  ['org:Organization', 'foaf:Organization', 'org', GROUPS],
  ['org:Organization', 'schema:Organization', 'org', GROUPS],
  ['org:Organization', 'vcard:Organization', 'vcard', GROUPS],
  ['schema:Organization', 'foaf:Organization', 'foaf', GROUPS],
  ['vcard:Organization', 'foaf:Organization', 'vcard', GROUPS],
  ['vcard:Organization', 'schema:Organization', 'vcard', GROUPS],
  ['as:Organization', 'foaf:Organization', 'as', GROUPS],
  ['as:Organization', 'schema:Organization', 'as', GROUPS],
  ['as:Organization', 'vcard:Organization', 'as', GROUPS],
  ['vcard:Group', 'foaf:Group', 'vcard', GROUPS],
  ['as:Group', 'foaf:Group', 'as', GROUPS],
  ['as:Group', 'vcard:Group', 'as', GROUPS],
  ['ical:Vevent', 'schema:Event', 'ical', TIMES],
  ['as:Event', 'schema:Event', 'as', TIMES],
  ['as:Event', 'ical:Vevent', 'as', TIMES],
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
  ['as:Image', 'schema:ImageObject', 'as', others('address and title')],
  ['as:Image', 'foaf:Image', 'as', others('address and title')],
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
  ['doap:Project', 'schema:SoftwareSourceCode', 'doap', others('name, repository and licence')],
  ['doap:Project', 'schema:SoftwareApplication', 'doap', others('name, repository and licence')],
  ['bibo:Book', 'schema:Book', 'bibo', others('title, authors and number')],
  ['mo:Track', 'schema:MusicRecording', 'mo', others('title, artist and album')],
  ['schema:Photograph', 'schema:ImageObject', 'schema', 'it tells of the picture, not of a file'],
  ['bibo:AcademicArticle', 'schema:ScholarlyArticle', 'bibo', TEXTS],
  ['dbo:Person', 'schema:Person', 'dbo', PEOPLE],
  ['dbo:Person', 'foaf:Person', 'dbo', PEOPLE],
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
  for (const [special, general] of Object.entries(SUBCLASSES)) {
    const source = shapeIri(special);
    const loss = `what is special about ${shapeName(source)} is not shown`;
    for (const one of general.split(' ')) add(source, { name: shapeIri(one), loss, source });
  }
  for (const [one, other, source, loss] of ALIKE) {
    add(shapeIri(one), { name: shapeIri(other), loss, source: SOURCES[source] });
    add(shapeIri(other), { name: shapeIri(one), loss, source: SOURCES[source] });
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

const moreGeneralThan = once(
  (): ReadonlyMap<string, readonly string[]> =>
    new Map(
      Object.entries(SUBCLASSES).map(([special, general]) => [
        shapeIri(special),
        general.split(' ').map(shapeIri),
      ]),
    ),
);
