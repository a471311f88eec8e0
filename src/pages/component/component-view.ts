import type { Description } from '../../catalog/description.js';
import type { VersionGroup } from '../../http/versions/version-groups.js';
import type { NodeView } from '../shell/page.js';
import type { ModuleLook } from './module-look.js';

/** What the page of a component shows. */
export interface ComponentView {
  readonly node: NodeView;
  /** Every description of the component, beginning with the one that is served. */
  readonly statements: readonly [Description, ...Description[]];
  /** The same component's versions, this one included, the newest first. */
  readonly versions: readonly Description[];
  /** Other components of the same name. */
  readonly namesakes: readonly VersionGroup[];
  /** URL of the data that the visitor has named; `''` for none. */
  readonly entry: string;
  /** What the visitor has entered instead of a URL. */
  readonly mistyped: string | undefined;
  /** URL of data that the page shows it with; absent where nobody names any, and the node has none of its shape. */
  readonly example: string | undefined;
  /** What is known of its module. */
  readonly look: ModuleLook | undefined;
}
