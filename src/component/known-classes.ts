import { shapeIri } from './shape-names.js';

/**
 * What data of a class says of itself, as the vocabulary defines it and as pods and websites use it: the properties by which
 * data without a known class is recognised, and which a component for the class can be expected to show. A property without a
 * prefix belongs to the vocabulary of its class. Metadata names no properties, so this table stands for those of a component.
 */
const PROPERTIES: Readonly<Record<string, string>> = {
  'foaf:Agent': 'name nick img depiction homepage account mbox',
  'foaf:Person':
    'name nick title givenName familyName firstName lastName img depiction homepage mbox phone knows account workplaceHomepage solid:oidcIssuer solid:publicTypeIndex pim:storage pim:preferencesFile ldp:inbox',
  'foaf:Organization': 'name homepage logo member mbox',
  'foaf:Group': 'name member',
  'foaf:Image': 'depicts maker thumbnail dct:title dct:created',
  'foaf:PersonalProfileDocument': 'maker primaryTopic',
  'vcard:Individual':
    'fn hasName given-name family-name nickname hasPhoto role title organization-name bday note hasEmail hasTelephone hasAddress url hasURL inAddressBook hasUID',
  'vcard:Organization': 'fn hasLogo hasPhoto note url hasURL hasEmail hasTelephone hasAddress inAddressBook',
  'vcard:AddressBook': 'nameEmailIndex groupIndex includesGroup dc:title acl:owner',
  'vcard:Group': 'fn hasMember includesGroup hasUID',
  'schema:Person':
    'name givenName familyName image jobTitle birthDate email telephone url description address worksFor affiliation sameAs knows',
  'schema:Organization':
    'name logo url email telephone description contactPoint address sameAs image founder legalName',
  'schema:ContactPoint': 'contactType email telephone availableLanguage',
  'schema:Event':
    'name startDate endDate location image url organizer performer description offers eventStatus eventAttendanceMode',
  'schema:Place': 'name description image address geo url telephone openingHours',
  'schema:PostalAddress': 'streetAddress addressLocality postalCode addressRegion addressCountry',
  'schema:Product': 'name description image brand sku gtin13 offers aggregateRating review url',
  'schema:Recipe':
    'name description image author datePublished recipeYield prepTime cookTime totalTime recipeIngredient recipeInstructions recipeCategory recipeCuisine nutrition keywords url',
  'schema:Movie':
    'name description image datePublished dateCreated sameAs director actor duration genre aggregateRating',
  'schema:WatchAction': 'object startTime endTime agent',
  'schema:Action': 'name description actionStatus startTime endTime agent object',
  'schema:Book':
    'name author isbn datePublished image description publisher numberOfPages inLanguage bookFormat',
  'schema:MusicRecording': 'name byArtist inAlbum duration url datePublished',
  'schema:VideoObject': 'name description contentUrl embedUrl thumbnailUrl uploadDate duration',
  'schema:ImageObject': 'name caption contentUrl dateCreated author license',
  'schema:Article':
    'name headline author datePublished dateModified articleBody image publisher description mainEntityOfPage url',
  'schema:Review': 'itemReviewed reviewBody reviewRating author datePublished name',
  'schema:WebPage': 'name headline url author dateModified description breadcrumb primaryImageOfPage',
  'schema:TextDigitalDocument': 'name text dateCreated dateModified identifier',
  'schema:Dataset': 'name description creator license distribution keywords url temporalCoverage',
  'schema:JobPosting':
    'title description datePosted validThrough hiringOrganization jobLocation employmentType baseSalary',
  'schema:SoftwareApplication':
    'name description applicationCategory operatingSystem offers softwareVersion url',
  'as:Note': 'name summary content published updated attributedTo inReplyTo to cc url tag attachment',
  'as:Article': 'name summary content published updated attributedTo url',
  'as:Person': 'name preferredUsername summary icon image url ldp:inbox outbox followers following',
  'as:Event': 'name summary content startTime endTime location attributedTo',
  'as:Image': 'name url mediaType width height',
  'as:Collection': 'name totalItems items first last current',
  'sioc:Post': 'content has_creator topic reply_of has_container dct:title dct:created',
  'wf:Message': 'sioc:content foaf:maker dct:created message',
  'wf:Participation': 'participant ical:dtstart ui:backgroundColor',
  'wf:Tracker':
    'description issueClass initialState stateStore assigneeClass issueCategory dc:title dc:author dct:title rdfs:label',
  'wf:Task': 'description dateDue assignee tracker dc:title dct:title dct:created dc:creator',
  'meeting:LongChat':
    'dc:title dct:title dc:author dc:created dct:created wf:participation ui:sharedPreferences wf:message',
  'meeting:Meeting': 'attendee toolList dc:title ical:summary ical:comment ical:dtstart',
  'ical:Vevent':
    'summary dtstart dtend location description url attendee organizer uid dtstamp rrule categories status',
  'ical:Vcalendar': 'prodid component version',
  'ical:Vtodo': 'summary due status completed priority dtstart description uid',
  'bookmark:Bookmark': 'recalls hasTopic title dct:title dct:created dct:updated foaf:maker',
  'oa:Annotation': 'motivatedBy hasTarget hasBody dct:created dct:creator',
  'skos:Concept': 'prefLabel altLabel definition broader narrower related inScheme notation topConceptOf',
  'skos:ConceptScheme': 'prefLabel hasTopConcept dct:title dct:description',
  'dcat:Dataset':
    'distribution keyword landingPage theme contactPoint dct:title dct:description dct:publisher dct:issued dct:modified dct:license',
  'doap:Project':
    'name shortdesc description homepage repository maintainer developer license created programming-language bug-database',
  'geo:Point': 'lat long alt rdfs:label',
  'dbo:Animal': 'foaf:name foaf:img schema:name schema:birthDate schema:owns rdfs:comment',
  'solid:TypeIndex': 'dct:title dct:references',
  'solid:TypeRegistration': 'forClass instance instanceContainer',
  'pim:ConfigurationFile': 'dct:title dct:created solid:privateTypeIndex',
  'pim:Storage': 'dct:title rdfs:label solid:owner ldp:contains',
  'ldp:Container': 'contains dct:title dct:modified http://www.w3.org/ns/posix/stat#mtime',
};

/** By canonical IRI of the class. */
const TABLE: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(PROPERTIES).map(([name, properties]) => {
    const prefix = name.slice(0, name.indexOf(':') + 1);
    const named = (one: string) =>
      one.startsWith('http') ? one : shapeIri(one.includes(':') ? one : prefix + one);
    return [shapeIri(name), new Set(properties.split(' ').map(named))];
  }),
);

/** The properties of a class (its canonical IRI), canonical; undefined where the table does not have it. */
export function propertiesOf(name: string): ReadonlySet<string> | undefined {
  return TABLE.get(name);
}

/** How many classes have each property. */
const COMMON: ReadonlyMap<string, number> = counted();

function counted(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const properties of TABLE.values())
    for (const one of properties) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
}

/** A class that data may be of, as far as its properties tell. */
export interface Guess {
  readonly name: string;
  /** How many of the properties of the class the data has, and how many there are. */
  readonly has: number;
  readonly of: number;
}

/** Fewer properties are had by much that is of no such class, and so are those that more classes have: names, texts, dates. */
const TELLING = { properties: 2, classes: 4 } as const;

/** The classes that have most of the properties of data, if these tell anything. `predicates` are canonical. */
export function classesByProperties(predicates: readonly string[]): Guess[] {
  const isTelling = (one: string) => (COMMON.get(one) ?? 0) <= TELLING.classes;
  const guesses = [...TABLE].flatMap(([name, properties]) => {
    const had = predicates.filter((one) => properties.has(one));
    return had.some(isTelling) ? [{ name, has: had.length, of: properties.size }] : [];
  });
  const most = Math.max(TELLING.properties, ...guesses.map(({ has }) => has));
  return guesses.filter(({ has }) => has === most);
}
