import { crc32 } from 'node:zlib';

/** Begins every value. */
const MARK = '~';
/** Characters of a checksum: 32 bits, six of them in each. */
const DIGITS = 6;
const HEAD = MARK.length + DIGITS;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Two characters for each number of twelve bits: there are a dozen checksums per component. */
const PAIRS = Array.from({ length: 4096 }, (_, n) => `${ALPHABET[n >>> 6]}${ALPHABET[n & 63]}`);

/**
 * The one key whose value has no checksum, because older releases read it to find out that the data is too new
 * for them. Damage to it does no harm: a higher number is refused, a lower one has the data checked again.
 */
export const SCHEMA_KEY = '!meta!schema';

/**
 * The value that is written under a key: a checksum of key and text, then the text. LevelDB has checksums of its
 * own, but classic-level offers no way to have them verified.
 */
export function seal(key: string, text: string): string {
  return key === SCHEMA_KEY ? text : headOf(key, text) + text;
}

/** The text that was written under a key; `undefined` when key or value is not what was written. */
export function unseal(key: string, value: string): string | undefined {
  if (key === SCHEMA_KEY) return value;
  const text = value.slice(HEAD);
  return value.startsWith(headOf(key, text)) ? text : undefined;
}

function headOf(key: string, text: string): string {
  const crc = crc32(text === '' ? key : `${key}\n${text}`);
  return `${MARK}${PAIRS[crc >>> 20]}${PAIRS[(crc >>> 8) & 4095]}${PAIRS[crc & 255]}`;
}
