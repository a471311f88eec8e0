import type { FlagValues } from '../lib/command-line.js';

export function textOf(value: FlagValues[string]): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The values of a flag that may be given several times, or once with spaces between. */
export function wordsOf(value: FlagValues[string]): string[] | undefined {
  return textOf(value)
    ?.split(/\s+/)
    .filter((word) => word !== '');
}
