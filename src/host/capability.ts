/** Something that a component can do with resources, and how to have it do so (Application Capability, section 5.2). */
export interface Capability {
  /** An IRI; those of ODRL begin with `odrl:`. `odrl:display` when absent. */
  readonly action?: string;
  /** Media types. */
  readonly accept?: readonly string[];
  /** IRIs of classes. */
  readonly resourceType?: readonly string[];
  /** IRIs of shapes. */
  readonly shape?: readonly string[];
  /** Absent: by `entry` and the four events. */
  readonly invocation?: readonly Invocation[];
}

/** Those of other kinds are passed over. */
export type Invocation = ElementInvocation | FragmentInvocation | UriTemplateInvocation;

export interface Mapping {
  /** Of an element: a property of its own class, otherwise an attribute. Of a template: a variable. */
  readonly variable: string;
  /** `ac:open`, or one of `data`, `shapes`, `shapesUrl`, `subject`, `shapeSubject`. */
  readonly property: string;
}

/** The element of a module is given what it needs by attributes and properties. */
export interface ElementInvocation {
  readonly type: 'ElementInvocation';
  /** The name that the module gives to its element. */
  readonly element: string;
  /** Media type of the RDF that it is given, and that it gives back; `text/turtle` when absent. */
  readonly format?: string;
  /** Attributes that are always the same. */
  readonly fixed?: Readonly<Record<string, string>>;
  readonly mapping: readonly Mapping[];
  /** The event that says that the user is done, and the method or property that gives RDF then; the event's detail without both. */
  readonly write?: { readonly event: string; readonly method?: string; readonly property?: string };
}

/** HTML with `{open}` for the URL of the resource, and the modules that define its custom elements. */
export interface FragmentInvocation {
  readonly type: 'FragmentInvocation';
  readonly fragment: string;
  readonly module: readonly { readonly uri: string; readonly integrity?: string }[];
}

/** A link that opens the resource with an application (section 5.3.1). */
export interface UriTemplateInvocation {
  readonly type: 'ac:UriTemplateInvocation';
  readonly template: string;
  readonly mapping?: readonly Mapping[];
}
