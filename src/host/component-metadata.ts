import type { Capability } from './capability.js';

/** Who describes a component to a node, and how far its operator answers for them. */
export interface ComponentSource {
  /** URL of the pod or peer; `urn:registry:local` for what was posted to the node. */
  readonly url: string;
  /** URL of the document that says it. */
  readonly document?: string;
  readonly kind: 'local' | 'pod' | 'peer' | 'sample';
  /** `own`: posted to the node; `configured`: named by its operator; `learned`: other nodes told of it. */
  readonly trust: Trust;
}

export type Trust = 'own' | 'configured' | 'learned';

/** What a node knows of the bytes of a module because it has fetched it itself. */
export interface ComponentPin {
  /** Integrity metadata of the bytes that the description promises, else of those that the node saw first for it. */
  readonly integrity: string;
  /** Other bytes that were seen under the same version. */
  readonly changed?: string;
  /** The modules that it imports, and their imports in turn: what the node saw of each. */
  readonly files?: readonly ModuleFile[];
  /** What it imports that the node could not pin, as the module writes it. */
  readonly unpinned?: readonly string[];
}

export interface ModuleFile {
  readonly uri: string;
  readonly integrity: string;
}

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
  /** How it is put to work; absent for components that take `entry` and the four events. */
  readonly capability?: readonly Capability[];
  /** What the author promises of the module's bytes (Subresource Integrity, section 3). */
  readonly integrity?: string;
  readonly pin?: ComponentPin;
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
  /** Words that all occur in label, description, tags, authors or names of shapes (`foaf:Person`); case and accents do not matter. */
  readonly q?: string;
  /** Whose description the node serves, by the URL of the source. */
  readonly source?: string;
  /** As nodes judge it: `own`; `configured`, which includes `own`; or `learned` alone. Without a `source` nothing is learned. */
  readonly trust?: Trust;
}

/** Below it, nobody whom the page has named answers for a description. */
export const TRUSTS: readonly Trust[] = ['own', 'configured', 'learned'];

/**
 * How far a description is trusted. Nodes of other makes do not say who says what they list; the page has named the
 * node itself, so what it lists counts as configured.
 */
export function trustIn({ source }: Pick<ComponentMetadata, 'source'>): Trust {
  return source?.trust ?? 'configured';
}
