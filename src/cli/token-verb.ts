import { makeToken } from '../connection/tokens/make-token.js';
import { systemClock } from '../lib/clock.js';
import { recordOnCommandLine } from './command-audit.js';
import { type ConfigOptions, configFrom } from './config-options.js';
import type { Terminal } from './terminal.js';

export interface TokenOptions extends ConfigOptions {
  readonly holder: string;
  readonly expires: string;
}

/** Prints a token. A node may be running. @throws UnusableFlag, UnusableKey */
export async function run(options: TokenOptions, { say, note }: Terminal): Promise<number> {
  const config = configFrom(options);
  const { holder, expires } = options;
  const made = await makeToken({ holder, expires }, config, systemClock);
  const deed = { what: `made a token for ${expires}`, subjects: [holder] };
  recordOnCommandLine(deed, config, note);
  say(made);
  return 0;
}
