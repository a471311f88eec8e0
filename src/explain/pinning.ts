import type { FailingModule } from '../core/module-health.js';
import type { StoredPin } from '../core/pins.js';

/** What becomes of the modules that are to be pinned, for the status, the network page and the metrics. */
export interface Pinning {
  /** The key `pins` of the configuration. */
  readonly mode: 'configured' | 'all' | 'off';
  /** Modules that have been seen, and how many of them had changed at the last look. */
  readonly all: number;
  readonly changed: number;
  /** Some of those that have changed. */
  readonly examples: readonly StoredPin[];
  /** Modules that could not be had lately, and why: those that failed last. */
  readonly failing: readonly FailingModule[];
}
