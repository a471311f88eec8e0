import type { Metadata } from '../component/metadata.js';
import type { Pin } from '../component/pin.js';
import type { SourceKind, SourceTrust } from '../component/source.js';

/** Who describes a component to a node, and how far its operator answers for them. */
export interface ComponentSource {
  /** URL of the pod or peer; `urn:registry:local` for what was posted to the node. */
  readonly url: string;
  /** URL of the document that says it. */
  readonly document?: string;
  readonly kind: SourceKind;
  /** `own`: posted to the node; `configured`: named by its operator; `learned`: other nodes told of it. */
  readonly trust: SourceTrust;
}

/** What a registry says of one component. */
export interface ComponentMetadata extends Metadata {
  /** What the node knows of the bytes of the module because it has fetched it itself. */
  readonly pin?: Pin;
  /** Absent where the node does not say who says so, as those of other makes. */
  readonly source?: ComponentSource;
  /** When the node first saw it said in this form, in ISO 8601. */
  readonly since?: string;
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
  /** What a capability does (`odrl:modify`), a media type that it takes, and a kind of invocation that it has. */
  readonly action?: string;
  readonly accept?: string;
  /** `none` selects what needs no invocation: it takes `entry` and speaks the four events. */
  readonly invocation?: string;
  /** Words that all occur in label, description, tags, authors or names of shapes; case and accents do not matter. */
  readonly q?: string;
  /** Whose description the node serves, by the URL of the source. */
  readonly source?: string;
  /** `configured` includes `own`; `learned` is alone. */
  readonly trust?: SourceTrust;
}

/** A component that fits a resource, and how well. */
export interface Match extends ComponentMetadata {
  /** The shapes of the resource that it knows, schema.org with https; its own where it knows none of them. */
  readonly shown: readonly string[];
  /** Why, the weightiest first: codes for programs, and sentences that go on where the component's label stands. */
  readonly reasons: readonly Reason[];
  /** What of the resource it probably does not show, because it does not declare it. Absent where that is not known. */
  readonly missing?: Missing;
  /** Does the resource conform to the shape that the component names? Absent where that was not checked. */
  readonly conforms?: boolean;
}

export interface Reason {
  readonly code: string;
  readonly text: string;
}

export interface Missing {
  /** IRIs of classes, and of properties. */
  readonly types: readonly string[];
  readonly predicates: readonly string[];
}

/** What nodes of other makes list counts as configured: they do not say who says it, and the page has named the node. */
export function trustIn({ source }: Pick<ComponentMetadata, 'source'>): SourceTrust {
  return source?.trust ?? 'configured';
}
