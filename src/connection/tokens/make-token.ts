import type { Config } from '../../config.js';
import type { Clock } from '../../lib/clock.js';
import { readUri } from '../uri.js';
import { issueToken } from './holder-token.js';
import { loadKeys } from './key-file.js';

const LONGEST_MS = 3650 * 86_400_000;

/** A flag with a wrong value; the message says which values there are. */
export class UnusableFlag extends Error {
  override readonly name = 'UnusableFlag';
}

/** Makes a token for a holder with the key in the data directory; a node may be running there. @throws UnusableFlag, UnusableKey */
export async function makeToken(
  flags: { readonly holder?: string; readonly expires?: string },
  { dataDir }: Pick<Config, 'dataDir'>,
  clock: Clock,
): Promise<string> {
  const holder = readUri(flags.holder ?? '');
  if (holder === undefined)
    throw new UnusableFlag(
      '--holder <uri> must be an absolute URI, such as https://alice.example/profile#me',
    );
  const lifetime = durationMs(flags.expires ?? '30d');
  if (lifetime === undefined || lifetime > LONGEST_MS)
    throw new UnusableFlag('--expires must be a time from 1s to 3650d: 90s, 15m, 12h or 30d');
  const now = clock.now();
  return issueToken({ holder, expires: now + lifetime }, (await loadKeys(dataDir)).token, now);
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The milliseconds of a time as people write it: 90s, 15m, 12h, 30d. Undefined for every other text, and for no time at all. */
export function durationMs(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const milliseconds = Number(count) * (UNITS_MS[unit] ?? Number.NaN);
  return milliseconds > 0 ? milliseconds : undefined;
}
