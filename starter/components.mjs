/** Where the files of the set are; the node that serves them puts its own address in the place of this. */
const AT = 'starter:';
const AUTHOR = 'Starter set of the component registry node';
const ELEMENT = 'ElementInvocation';
/** Of the elements in `elements/`: to be raised when one of them changes, because bytes under one version may not. */
const OWN_VERSION = '1.1.0';
const RDF = ['text/turtle', 'application/ld+json', 'application/n-triples'];

/** Shapes: the file, the shape in it, what people call such data, and the classes that it is for. */
const SHAPES = [
  ['person-vcard', 'Individual', 'Contact', 'http://www.w3.org/2006/vcard/ns#Individual'],
  [
    'address-book',
    'AddressBook',
    'Details of an address book',
    'http://www.w3.org/2006/vcard/ns#AddressBook',
  ],
  ['address-book', 'Group', 'Details of a group', 'http://www.w3.org/2006/vcard/ns#Group'],
  [
    'organization-vcard',
    'Organization',
    'Organization (vCard)',
    'http://www.w3.org/2006/vcard/ns#Organization',
  ],
  ['person-foaf', 'Person', 'Person (FOAF)', 'http://xmlns.com/foaf/0.1/Person'],
  ['person-foaf', 'Agent', 'Agent (FOAF)', 'http://xmlns.com/foaf/0.1/Agent'],
  [
    'profile-document',
    'PersonalProfileDocument',
    'Profile document',
    'http://xmlns.com/foaf/0.1/PersonalProfileDocument',
  ],
  ['organization-foaf', 'Organization', 'Organization (FOAF)', 'http://xmlns.com/foaf/0.1/Organization'],
  ['person-schema', 'Person', 'Person (schema.org)', 'https://schema.org/Person'],
  ['organization-schema', 'Organization', 'Organization (schema.org)', 'https://schema.org/Organization'],
  ['organization-schema', 'ContactPoint', 'Contact point', 'https://schema.org/ContactPoint'],
  ['bookmark', 'Bookmark', 'Bookmark', 'http://www.w3.org/2002/01/bookmark#Bookmark'],
  ['chat', 'LongChat', 'Details of a chat', 'http://www.w3.org/ns/pim/meeting#LongChat'],
  ['chat', 'Participation', 'Participation', 'http://www.w3.org/2005/01/wf/flow#Participation'],
  ['chat', 'Message', 'Chat message', 'http://www.w3.org/2005/01/wf/flow#Message'],
  ['meeting', 'Meeting', 'Meeting', 'http://www.w3.org/ns/pim/meeting#Meeting'],
  ['event-ical', 'Event', 'Event (iCalendar)', 'http://www.w3.org/2002/12/cal/ical#Vevent'],
  ['event-ical', 'Calendar', 'Calendar', 'http://www.w3.org/2002/12/cal/ical#Vcalendar'],
  ['event-schema', 'Event', 'Event (schema.org)', 'https://schema.org/Event'],
  ['tracker', 'Tracker', 'Tracker', 'http://www.w3.org/2005/01/wf/flow#Tracker'],
  [
    ...['tracker', 'Task', 'Task', 'http://www.w3.org/2005/01/wf/flow#Task'],
    ...['http://www.w3.org/2005/01/wf/flow#Open', 'http://www.w3.org/2005/01/wf/flow#Closed'],
  ],
  ['action-schema', 'Action', 'Thing to do', 'https://schema.org/Action'],
  ['note', 'Note', 'Note', 'https://www.w3.org/ns/activitystreams#Note'],
  ['note', 'Article', 'Article (ActivityStreams)', 'https://www.w3.org/ns/activitystreams#Article'],
  ['note', 'TextDigitalDocument', 'Note (schema.org)', 'https://schema.org/TextDigitalDocument'],
  ['annotation', 'Annotation', 'Annotation', 'http://www.w3.org/ns/oa#Annotation'],
  ['type-index', 'TypeIndex', 'Type index', 'http://www.w3.org/ns/solid/terms#TypeIndex'],
  [
    'type-index',
    'TypeRegistration',
    'Type registration',
    'http://www.w3.org/ns/solid/terms#TypeRegistration',
  ],
  ['preferences', 'ConfigurationFile', 'Preferences', 'http://www.w3.org/ns/pim/space#ConfigurationFile'],
  ['storage', 'Storage', 'Storage', 'http://www.w3.org/ns/pim/space#Storage'],
  ['recipe', 'Recipe', 'Recipe', 'https://schema.org/Recipe'],
  ['movie', 'Movie', 'Film', 'https://schema.org/Movie'],
  ['movie', 'WatchAction', 'Watched film', 'https://schema.org/WatchAction'],
  ['works', 'Book', 'Book', 'https://schema.org/Book'],
  ['works', 'MusicRecording', 'Piece of music', 'https://schema.org/MusicRecording'],
  ['works', 'VideoObject', 'Video', 'https://schema.org/VideoObject'],
  ['works', 'ImageObject', 'Picture', 'https://schema.org/ImageObject'],
  ['works', 'Article', 'Article (schema.org)', 'https://schema.org/Article'],
  ['works', 'Review', 'Review', 'https://schema.org/Review'],
  ['image-foaf', 'Image', 'Picture (FOAF)', 'http://xmlns.com/foaf/0.1/Image'],
  ['place', 'Place', 'Place', 'https://schema.org/Place'],
  ['place', 'Point', 'Point on the globe', 'http://www.w3.org/2003/01/geo/wgs84_pos#Point'],
  ['product', 'Product', 'Product', 'https://schema.org/Product'],
  ['pet', 'Animal', 'Pet', 'http://dbpedia.org/ontology/Animal'],
  ['project', 'Project', 'Project', 'http://usefulinc.com/ns/doap#Project'],
  ['concept', 'Concept', 'Concept', 'http://www.w3.org/2004/02/skos/core#Concept'],
  ['dataset', 'Dataset', 'Dataset', 'http://www.w3.org/ns/dcat#Dataset'],
  ['post', 'Post', 'Post', 'http://rdfs.org/sioc/ns#Post'],
  ['web-page', 'WebPage', 'Web page', 'https://schema.org/WebPage'],
];

/**
 * The descriptions of everything in the set, as `POST /component` takes them.
 * @param integrity of a file of the set
 * @param packages the packages in each module, with their versions
 */
export function components(integrity, packages) {
  /** One file is the module of many components: what tells their URLs apart is not sent to be found. */
  const described = (file, { name, element, ...rest }) => {
    const version = packages[file].find(({ name: one }) => rest.of === one)?.version ?? OWN_VERSION;
    const { of, ...fields } = rest;
    return {
      uri: `${AT}${file}${name ? `?for=${name}` : ''}`,
      ...{ version, latest: true, integrity: integrity(file) },
      ...fields,
      author: of ? [of, AUTHOR] : [AUTHOR],
      tag: [...(element ? [element] : []), 'starter', ...(fields.tag ?? [])],
    };
  };
  return [
    ...SHAPES.map((shape) => described('shacl-form.js', form(...shape))),
    ...VIEWERS.map(([file, view]) => described(file, view)),
    described('rdf-editor.js', SOURCE),
    described('cytoscape-rdf.js', GRAPH),
    ...APPLICATIONS.map(([label, uri, template, variable, description, resourceType = RESOURCE]) => ({
      ...{ uri, label, description, author: [AUTHOR], tag: ['starter', 'application'] },
      shapes: [resourceType],
      capability: [
        {
          ...{ action: 'odrl:display', resourceType: [resourceType] },
          invocation: [
            { type: 'ac:UriTemplateInvocation', template, mapping: [{ variable, property: 'ac:open' }] },
          ],
        },
      ],
    })),
  ];
}

/** A shape with the form, which shows data when it is told to, and else lets people change it. */
function form(file, shape, label, ...resourceType) {
  const iri = `${AT}shapes/${file}.ttl#${shape}`;
  const mapping = [
    { variable: 'data-values', property: 'data' },
    { variable: 'data-shapes', property: 'shapes' },
    { variable: 'data-values-subject', property: 'subject' },
    { variable: 'data-shape-subject', property: 'shapeSubject' },
  ];
  const invoked = { type: ELEMENT, element: 'shacl-form', format: 'text/turtle' };
  const about = { resourceType, shape: [iri] };
  return {
    ...{ name: `${file}.${shape}`, element: 'shacl-form', of: '@ulb-darmstadt/shacl-form' },
    label,
    description: `Shows and edits data of the class ${resourceType.join(' or ')}, in a form made from a shape.`,
    shapes: [...resourceType, iri],
    capability: [
      { action: 'odrl:display', ...about, invocation: [{ ...invoked, fixed: { 'data-view': '' }, mapping }] },
      {
        ...{ action: 'odrl:modify', ...about },
        invocation: [
          {
            ...{ ...invoked, fixed: { 'data-submit-button': 'Save' }, mapping },
            write: { event: 'submit', method: 'serialize' },
          },
        ],
      },
    ],
  };
}

const RESOURCE = 'http://www.w3.org/2000/01/rdf-schema#Resource';
const LDP = 'http://www.w3.org/ns/ldp#';
const VCARD = 'http://www.w3.org/2006/vcard/ns#';
const LONG_CHAT = 'http://www.w3.org/ns/pim/meeting#LongChat';

/** Elements of this set. They speak the events of the specification: such a capability needs no invocation. */
const VIEWERS = [
  viewer('thing', 'Anything', 'What a document says, as names and values.', {
    resourceType: [RESOURCE],
    accept: RDF,
  }),
  viewer('person', 'Person', 'A person at a glance: picture, name, role, and how to reach them.', {
    resourceType: [`${VCARD}Individual`, 'http://xmlns.com/foaf/0.1/Person', 'https://schema.org/Person'],
  }),
  viewer('container', 'Folder', 'What is in a container, folders first.', {
    resourceType: [`${LDP}Container`, `${LDP}BasicContainer`],
  }),
  viewer('people', 'Address book or group', 'The people of an address book or a group, by name.', {
    resourceType: [`${VCARD}AddressBook`, `${VCARD}Group`],
  }),
  viewer('messages', 'Chat', 'The messages of a chat.', { resourceType: [LONG_CHAT] }),
  viewer('image', 'Image', 'A picture.', inMedia('image', ['png', 'jpeg', 'gif', 'webp', 'avif', 'svg+xml'])),
  viewer('media', 'Sound and video', 'A sound or a video, to play.', {
    ...inMedia(
      'video',
      ['mp4', 'webm', 'ogg'],
      inMedia('audio', ['mpeg', 'mp4', 'ogg', 'wav', 'webm', 'flac']),
    ),
  }),
  viewer('markdown', 'Markdown', 'A document in Markdown, as a page.', inMedia('text', ['markdown'])),
  viewer('document', 'Document', 'Text, pages, PDF; other files to save.', {
    accept: ['text/plain', 'text/html', 'application/pdf', 'application/json', 'application/xml'],
    resourceType: [`${LDP}NonRDFSource`],
  }),
];

/** Media types, and the classes that pods give to what is in them. */
function inMedia(kind, subtypes, also = { accept: [], resourceType: [] }) {
  const types = subtypes.map((subtype) => `${kind}/${subtype}`);
  const classes = types.map((type) => `http://www.w3.org/ns/iana/media-types/${type}#Resource`);
  return { accept: [...also.accept, ...types], resourceType: [...also.resourceType, ...classes] };
}

function viewer(name, label, description, about) {
  const capability = [{ action: 'odrl:display', ...about }];
  return [
    `view-${name}.js`,
    { element: `view-${name}`, label, description, shapes: about.resourceType, capability },
  ];
}

const SOURCE = {
  ...{ element: 'rdf-editor', of: '@rdfjs-elements/rdf-editor', label: 'RDF source' },
  description: 'The triples of a document as Turtle, with colours.',
  shapes: [RESOURCE],
  capability: [
    {
      ...{ action: 'odrl:display', accept: RDF, resourceType: [RESOURCE] },
      invocation: [
        {
          ...{ type: ELEMENT, element: 'rdf-editor', format: 'text/turtle' },
          fixed: { format: 'text/turtle', readonly: '' },
          mapping: [{ variable: 'value', property: 'data' }],
        },
      ],
    },
  ],
};

const GRAPH = {
  ...{ element: 'cytoscape-rdf', of: 'cytoscape-rdf', label: 'Graph' },
  description: 'The triples of a document as circles and arrows.',
  shapes: [RESOURCE],
  capability: [
    {
      ...{ action: 'odrl:display', accept: RDF, resourceType: [RESOURCE] },
      invocation: [
        {
          ...{ type: ELEMENT, element: 'cytoscape-rdf', format: 'text/turtle' },
          // It takes the room that it is given, and none by itself; and it finds itself by its id.
          fixed: { id: 'cytoscape-rdf', style: 'height: 30rem' },
          mapping: [{ variable: 'rdf', property: 'data' }],
        },
      ],
    },
  ],
};

/**
 * Applications that open a resource by its address. The patterns are those with which PodOS opens it there
 * (its menu "open with", pod-os/PodOS), and PodOS's own.
 */
const APPLICATIONS = [
  [
    'PodOS browser',
    'https://browser.pod-os.org/',
    '{?uri}',
    'uri',
    'Opens the resource in the data browser of PodOS.',
  ],
  [
    ...['SolidOS data browser', 'https://solidos.github.io/mashlib/dist/browse.html', '{?uri}', 'uri'],
    'Opens the resource in the data browser of SolidOS.',
  ],
  [
    'Penny',
    'https://penny.vincenttunru.com/explore/',
    '{?url}',
    'url',
    'Opens the resource in Penny, a data browser for developers.',
  ],
  [
    ...['Solid File Manager', 'https://otto-aa.github.io/solid-filemanager/', '{?url}', 'url'],
    ...['Opens a container in a file manager.', `${LDP}Container`],
  ],
  [
    ...['Umai', 'https://umai.noeldemartin.com/', 'viewer{?url}', 'url', 'Opens a recipe in Umai.'],
    'https://schema.org/Recipe',
  ],
  [
    'dokieli',
    'https://dokie.li/',
    '#open={open}',
    'open',
    'Opens a document in dokieli, to read and annotate it.',
  ],
  [
    'dokieli graph',
    'https://dokie.li/#graph',
    '#graph={open}',
    'open',
    'Shows the graph of a document in dokieli.',
  ],
];
