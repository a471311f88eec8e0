import { makeToken } from '../connection/tokens/make-token.js';
import { systemClock } from '../lib/clock.js';
import { recordOnCommandLine } from './command-audit.js';
import { configFrom } from './flag-values.js';
import type { RunVerb } from './runnable-verb.js';

/** A node may be running: it goes on with the same trail of what was done. */
export const run: RunVerb = async (flags, _argument, { say, note }) => {
  const config = configFrom(flags);
  const made = await makeToken(flags, config, systemClock);
  const { holder, expires = '30d' } = flags;
  const deed = { what: `made a token for ${expires}`, subjects: [String(holder)] };
  await recordOnCommandLine(deed, config, note);
  say(made);
  return 0;
};
