import type { Refusals } from '../../core/refusal.js';
import type { Health } from '../../explain/node-report.js';

/** What every page shows of its node. */
export interface NodeView {
  /** Public URL of the node. */
  readonly baseUrl: string;
  readonly version: string;
  readonly health: Health;
  /** Can nothing be written at present, or even not be read what is not in memory? */
  readonly isStorageFailing?: boolean;
  readonly allSourcesFail?: boolean;
  /** Addresses that peers told of, are not read, by reason. */
  readonly refused?: Refusals['counts'];
  /** URLs of data that the samples are shown with; none while they are not listed. */
  readonly sampleData?: readonly string[];
}
