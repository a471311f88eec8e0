const EXPORT_IT = 'export the class of the element: export default class extends HTMLElement { … }';

/**
 * Everything that a check can find, by code: what is so, and behind the arrow what the author can do about it. Names in braces
 * are filled in. Errors keep a component from being listed or shown.
 */
export const ERRORS = {
  brokenRule: '{detail} → correct it; until then no node lists this component',
  leftOut: '{detail} → correct it; until then nodes list the component without this',

  documentStatus: 'the document answers {status} → {fix}',
  documentType: 'the document is {type}, which no node reads → send {types}',
  documentAway: 'the document cannot be had: {why} → {fix}',
  fileFormat: 'its format is unknown → name it {endings}',
  fileAway: 'it cannot be read: {why} → name a file, or a URL that begins with https://',
  syntax: 'it cannot be read: {why} → correct the syntax; nodes skip the whole document',
  noComponent: 'it describes no component → use terms of <{namespace}>, label at least',
  container: 'it is a container, which describes no component itself → name one of the documents in it',
  plainJson:
    'it is plain JSON, which no node reads from a pod → add "@context": "{namespace}" to each object and name it .jsonld (application/ld+json), or write Turtle, as the page /publish does',

  moduleStatus: 'the module answers {status} → put the module at its uri, readable without credentials',
  moduleAway: 'the module cannot be had: {why} → {fix}',
  untyped: 'it is served {type}; browsers refuse to run that → serve it with Content-Type: text/javascript',
  closed: 'pages of other sites may not import it → serve it with Access-Control-Allow-Origin: *',
  onlyFor: 'only pages of {origin} may import it → serve it with Access-Control-Allow-Origin: *',
  unparsed:
    'it does not parse as an ES module: {why} → send what a browser can run, without a step in between',
  bareImport:
    '{how} {specifier}, which no browser can find, and nobody can pin → bundle the package into the module',
  noElement: `it exports no element class and defines no element → ${EXPORT_IT}`,
  otherExport: `its default export is no class that extends another → ${EXPORT_IT}`,
  brokenPromise:
    'its bytes are not what its integrity promises: they are {digest} → raise the version, and write the integrity of what is served: hosts run nothing else than what was promised',
  otherBytes:
    'this node saw other bytes first {version}: {first}, and now {digest} → raise the version: hosts run no other bytes of a version than its first',
  sameVersion:
    'the module of {label} has changed, and its version is {version} as before → raise the version: hosts run no other bytes of a version than its first',
  noVersionToRaise:
    'the module of {label} has changed, and has no version → give it a version, and raise it with each change: hosts run no other bytes of a version than its first',

  otherFormat: 'nodes cannot read the document: {why} → {fix}',
  notPublic: 'not everybody can read the document, and until then no node lists it: {why} → {fix}',
} as const;

export const ADVICE = {
  unknownTerm:
    'it uses {term}, which is no term of the vocabulary → there are {terms}; nodes ignore what they do not know',
  latest: '{notice} → say so of one: hosts ask for the latest',
  notReported: '{count} in it not looked at → check at most {most} in one document',
  moduleNotLookedAt: 'its module was not looked at → {fix}',

  noName: 'it has no name, and is listed as {label} → name it with as:name, schema:name or rdfs:label',
  noShapes:
    'it names no shapes → name the classes or shapes that it renders: hosts look for components by them',
  noDescription: 'it has no description → say in a sentence what it shows',
  noVersion: 'it has no version → give it one, as in 1.0.0',
  noLatest: 'it does not say whether it is the latest version → add latest true, or false',
  noTags: 'it has no tags → add a tag: element names are made of it',
  shapeAgain:
    'its shape {shape} is named in another spelling, too → leave one out: both spellings are found as one',
  prefixedShape:
    'its shape {shape} looks like a name with the prefix {prefix}:, which was not expanded → write the whole IRI, or in Turtle the name without quotes and angle brackets: no host looks for this one',
  oddVersion:
    'its version {version} is no semantic version → write it with three numbers, as in {example}: hosts ask for ranges of versions',
  oddTags:
    "its {tags} cannot be part of an element's name → write tags with a to z, 0 to 9 and hyphens only: some hosts name the element after the tag as it is",

  noAction: 'a capability names no action → name it: odrl:display, or odrl:modify for an editor',
  noInvocation: 'a capability names no way to invoke it → name an invocation: until then it is only listed',
  nothingToShow: 'nothing tells {element} what to show → map an attribute or property to ac:open, or to data',
  unknownMeaning:
    'no host knows what {property} means, to which {element} maps something → there are ac:open, {meanings}',
  noShapesToGive: '{element} is to be given shapes, and its capability names none → name them with shape',
  noHole: 'a fragment has no {open} → write {open} where the URL of the resource belongs',
  scriptInFragment:
    'a fragment has a script in it → leave it out: hosts remove scripts, and attributes that hold them',
  noModuleNamed: 'a fragment has custom elements, and names no module → name the modules that define them',
  unpinnedModule: 'the module {uri} of a fragment has no integrity → write the hash of its bytes beside it',
  unmapped:
    'nothing says what {variable} in {template} means → add a mapping with its property, ac:open for the resource',
  noVariable: '{template} has no {variable}, to which a mapping belongs → correct the name',

  plainHttp:
    'the module is served by plain http → serve it by https: pages that are from https cannot import it otherwise',
  oldType: 'it is served as {type} → serve it with Content-Type: text/javascript',
  large: 'it is large: {size} → minify it, and leave out what it does not need',
  otherImport:
    '{how} {specifier} → bundle it into the module where you can: nodes pin each file, and browsers without integrity in import maps refuse more than one',
  computedImport:
    'it imports other modules while it runs → import it by an address that stands in the module: what is worked out while it runs cannot be pinned',
  definedOnly: `it defines an element, and exports none → ${EXPORT_IT}; hosts choose the tag name then`,
  computedExport: `what it exports is the result of a computation: whether that is an element shows only when it runs → ${EXPORT_IT}`,
} as const;

export const FINE = {
  readable: 'the document can be read',
  complete: 'its metadata is complete',
  application: 'it is an application that is opened by links: nobody imports its uri',
  typed: 'it is served as text/javascript',
  open: 'pages of other sites may import it',
  parsed: 'it parses as an ES module',
  exported: '{how} an element class',
  size: 'its size is {size}',
  pinnable: 'hosts can pin it: integrity {digest}',
  promiseKept: 'its bytes are those that its integrity promises',
  isPublic: 'everybody can read the document: {url}',
} as const;
