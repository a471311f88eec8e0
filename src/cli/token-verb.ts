import { type Config, loadConfig } from '../config.js';
import { issueToken } from '../connection/tokens/access.js';
import { loadKeys, shareKey } from '../connection/tokens/key-file.js';
import { systemClock } from '../lib/clock.js';
import { recordOnCommandLine } from './command-audit.js';
import { openPlace } from './open-place.js';
import type { ConfigOptions, Terminal } from './terminal.js';

interface TokenOptions extends ConfigOptions {
  /** An absolute URI. */
  readonly holder: string;
  /** How long it lasts, in ms. */
  readonly expires: number;
}

/** Prints a token, made with the key of the nodes that it is for; they may be running. @throws Error for a key file that is none */
export async function run(options: TokenOptions, { say, note }: Terminal): Promise<number> {
  const config = loadConfig({ file: options.config });
  if (config.store.engine !== 'disk') await fetchSharedKey(config, note);
  const { holder } = options;
  const now = systemClock.now();
  const expires = now + options.expires;
  const made = await issueToken({ holder, expires }, (await loadKeys(config.dataDir)).token, now);
  const deed = { what: `made a token until ${new Date(expires).toISOString()}`, subjects: [holder] };
  recordOnCommandLine(deed, config, note);
  say(made);
  return 0;
}

/** Beside a database the key is that of the database, and on this machine there may be none yet. */
async function fetchSharedKey(config: Config, note: Terminal['note']): Promise<void> {
  const place = await openPlace(config, note);
  try {
    await shareKey(await place.keep('connection'), config.dataDir);
  } finally {
    await place.close();
  }
}
