import type { ConfigOptions } from './config-options.js';

/** What both commands that move data can be told. */
export interface TransferOptions extends ConfigOptions {
  readonly withoutConnections?: true;
}
