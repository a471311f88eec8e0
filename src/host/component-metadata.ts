/** What a registry says of one component. */
export interface ComponentMetadata {
  /** URL of the JavaScript module. */
  readonly uri: string;
  readonly label: string;
  readonly description?: string;
  readonly version?: string;
  readonly latest?: boolean;
  readonly author: readonly string[];
  readonly tag: readonly string[];
  /** IRIs of the data shapes that it renders. */
  readonly shapes: readonly string[];
}

/** What a component must be to be found; all of it must hold, and `{}` finds everything. */
export interface Constraints {
  readonly uri?: string;
  readonly label?: string;
  readonly description?: string;
  /** Equal, or an npm semver range that contains the component's version. */
  readonly version?: string;
  readonly latest?: boolean;
  /** One value or several: every one of them must be among the component's. */
  readonly author?: string | readonly string[];
  readonly tag?: string | readonly string[];
  readonly shapes?: string | readonly string[];
  /** Words that all occur in label, description, tags, authors or names of shapes (`foaf:Person`); case and accents do not matter. */
  readonly q?: string;
}
