import type { Config } from '../config.js';
import type { Place } from '../keep/keep.js';
import { withoutPause } from '../lib/pace.js';
import { storePlaceOf } from '../node/store-place.js';
import { commandLog } from './command-audit.js';
import type { Terminal } from './terminal.js';

/** Opens what nodes store. On disk that is refused while one runs. */
export function openPlace(
  config: Config,
  note: Terminal['note'],
  dataDir: string = config.dataDir,
): Promise<Place> {
  return storePlaceOf(config)(dataDir, { pace: withoutPause, log: commandLog('warn', note) });
}
