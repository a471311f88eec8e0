/** What the host library exports: the entry of `/host.js`, and of `component-registry-node/host`. */
export type {
  Capability,
  ElementInvocation,
  FragmentInvocation,
  Invocation,
  Mapping,
  UriTemplateInvocation,
} from '../component/capability.js';
export type { ModuleFile, Pin as ComponentPin } from '../component/pin.js';
export type { SourceTrust as Trust } from '../component/source.js';
export { ComponentElement } from './component-element.js';
export type {
  ComponentMetadata,
  ComponentSource,
  Constraints,
  Match,
  Missing,
} from './component-metadata.js';
export type {
  DataAction,
  DataRequest,
  DataRequestDetail,
  DataResponseDetail,
  DataType,
  DataTypes,
} from './data-events.js';
export type { Fetch } from './fetching.js';
export { HostError, type HostErrorReason } from './host-error.js';
export type { Opening } from './invocation/open-with.js';
export { loadComponent } from './load-component.js';
export type { Loadable, LoadOptions } from './module-load.js';
export type { Quad, Term } from './quad.js';
export {
  type Listening,
  type MatchOptions,
  RegistryClient,
  type RegistryClientOptions,
} from './registry-client.js';
export { type DataHandler, type ServeOptions, serveData } from './serve-data.js';
export { type ShapesOptions, shapesOf } from './shapes.js';
export { type Showable, type Shown, type ShowOptions, showComponent } from './show-component.js';
export { type ShowResourceOptions, showResource } from './show-resource.js';
export { type SolidDataOptions, solidData } from './solid-data.js';
export { tagNameOf } from './tag-name.js';
