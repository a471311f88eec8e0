import type { Naming } from '../component/naming.js';
import type { Feed } from './feed.js';
import type { Revision } from './revision.js';

/** Where a registry stands. The same object is returned until something changes. */
export interface State {
  /** Moves with every change of the stored descriptions, served or shadowed. */
  readonly revision: Revision;
  /** Moves with every change of the network lists. */
  readonly networkRevision: Revision;
  /** How answers name things: as the node that was started last on the same data. */
  readonly naming: Naming;
  /** How many components are served. */
  readonly components: number;
  /** What those who follow changes need to know. */
  readonly feed: Feed;
}
