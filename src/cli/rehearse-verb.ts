import { isHarmless, type Rehearsal } from '../explain/rehearsal.js';
import { rehearsalText } from '../explain/rehearsal-text.js';
import { createLog } from '../lib/log.js';
import { production } from '../node/given.js';
import { type RehearsalProgress, rehearseBeside } from '../node/rehearse-beside.js';
import { configFrom } from './flag-values.js';
import type { RunVerb, Terminal } from './runnable-verb.js';

/** Requests after which the user is told that it goes on. */
const REQUESTS_EACH = 50;

export const run: RunVerb = async (flags, url = '', terminal) => {
  const config = configFrom(flags);
  const given = { ...production(config), log: createLog({ level: 'silent' }) };
  const options = { signal: terminal.interrupted(), progress: progressOn(terminal) };
  const rehearsal = await rehearseBeside(url, config, given, options);
  terminal.say(flags.json ? JSON.stringify(rehearsal, null, 2) : rehearsalText(rehearsal));
  return exitCodeOf(rehearsal);
};

/** 0 when nothing has to be looked at; 1 when the source cannot be read; 3 when it would change, hide or be refused something. */
function exitCodeOf(rehearsal: Rehearsal): number {
  if (rehearsal.error !== undefined) return 1;
  return isHarmless(rehearsal) ? 0 : 3;
}

function progressOn({ note }: Terminal): RehearsalProgress {
  let last = '';
  return ({ phase, requests }) => {
    if (phase !== last) note(`${phase} …`);
    else if (requests % REQUESTS_EACH === 0) note(`${phase} …, ${requests} requests so far`);
    last = phase;
  };
}
