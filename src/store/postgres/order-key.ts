import { createHash } from 'node:crypto';

/** Bytes of a text that is its own key: with a term, it fits into an entry of an index, which has 2,700 bytes at most. */
const LONGEST = 1_200;
/** Between what stays of a text and its hash; sorts below everything that can follow in a URL. */
const SEPARATOR = '\u0001';

/**
 * A text by which the database orders as JavaScript does. Databases compare UTF-8 bytes and JavaScript compares UTF-16 code
 * units: they differ only where characters beyond U+FFFF meet those from U+E000 on, and these get another place here. Nearly
 * every text is its own key. A text of more than 1,200 bytes is cut, and a hash makes its key its own; texts of which
 * more than these bytes are the same are in an order of their own, the same on every node.
 */
export function orderKey(text: string): string {
  const placed = /[\ud800-\uffff]/.test(text) ? Array.from(text, placedCharacter).join('') : text;
  return shortened(placed, LONGEST);
}

/** The last two characters of Unicode, which no text needs, mark those that move: they move out of the way, too. */
function placedCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x10fffe) return '\u{10fffe}\u0001';
  if (code === 0x10ffff) return '\u{10fffe}\u0002';
  return code >= 0xe000 && code <= 0xffff ? `\u{10ffff}${character}` : character;
}

/** The key of a position in the order that need not be that of a text which can be stored: `after` as strangers send it. */
export function orderKeyFrom(text: string): string {
  return orderKey(text.slice(0, storableLength(text)));
}

/** Can the database store the text? Neither U+0000 nor half a character. */
export function isStorable(text: string): boolean {
  return storableLength(text) === text.length;
}

function storableLength(text: string): number {
  if (text.isWellFormed() && !text.includes('\0')) return text.length;
  const bad = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.exec(text);
  return bad?.index ?? text.length;
}

/**
 * A text of few bytes, different for each text: itself, or, where it is longer than so many bytes, a little more of it and
 * a hash. So a text that was cut is longer than any that was not.
 */
export function shortened(text: string, longest: number): string {
  // Three bytes are the most that a code unit takes.
  if (text.length * 3 <= longest) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= longest) return text;
  // The bytes of a character that was cut become U+FFFD, which takes the place of at most three of them.
  const beginning = bytes
    .subarray(0, longest + 4)
    .toString()
    .replace(/\ufffd$/, '');
  return beginning + SEPARATOR + textHash(text);
}

/** 128 bits of SHA-256 as 22 characters: for texts that are looked for and need no order. */
export function textHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
