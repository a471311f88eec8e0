import type { OwnPath } from '../config/own-paths.js';
import type { Resource } from '../lib/http/resource.js';

/** A resource of the registry, at a path that the configuration knows as the registry's own. */
export interface OwnResource extends Resource {
  readonly path: OwnPath;
}
