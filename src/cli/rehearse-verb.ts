import { isHarmless, type Rehearsal } from '../explain/rehearsal.js';
import { rehearsalText } from '../explain/rehearsal-text.js';
import { createLog } from '../lib/log.js';
import { production } from '../node/given.js';
import { type RehearsalProgress, rehearseBeside } from '../node/rehearse-beside.js';
import { type ConfigOptions, configFrom } from './config-options.js';
import type { Terminal } from './terminal.js';

export interface RehearseOptions extends ConfigOptions {
  readonly json?: true;
}

/** Requests after which the user is told that it goes on. */
const REQUESTS_EACH = 50;

/** Says what trusting the pod or node at a URL would lead to. */
export async function run(url: string, options: RehearseOptions, terminal: Terminal): Promise<number> {
  const config = configFrom(options);
  const given = { ...production(config), log: createLog({ level: 'silent' }) };
  const watched = { signal: terminal.interrupted(), progress: progressOn(terminal) };
  const rehearsal = await rehearseBeside(url, config, given, watched);
  terminal.say(options.json ? JSON.stringify(rehearsal, null, 2) : rehearsalText(rehearsal));
  return exitCodeOf(rehearsal);
}

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
