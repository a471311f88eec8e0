import { loadConfig } from '../config.js';
import { issueToken } from '../connection/tokens/access.js';
import { loadKeys } from '../connection/tokens/key-file.js';
import { systemClock } from '../lib/clock.js';
import { recordOnCommandLine } from './command-audit.js';
import type { ConfigOptions, Terminal } from './terminal.js';

interface TokenOptions extends ConfigOptions {
  /** An absolute URI. */
  readonly holder: string;
  /** How long it lasts, in ms. */
  readonly expires: number;
}

/** Prints a token, made with the key in the data directory; a node may be running there. @throws UnusableKey */
export async function run(options: TokenOptions, { say, note }: Terminal): Promise<number> {
  const config = loadConfig({ file: options.config });
  const { holder } = options;
  const now = systemClock.now();
  const expires = now + options.expires;
  const made = await issueToken({ holder, expires }, (await loadKeys(config.dataDir)).token, now);
  const deed = { what: `made a token until ${new Date(expires).toISOString()}`, subjects: [holder] };
  recordOnCommandLine(deed, config, note);
  say(made);
  return 0;
}
