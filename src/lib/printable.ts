/** Characters that rewrite what stands on a terminal: controls, and those that turn the direction of a line. */
const REWRITING = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** A text that strangers wrote, as part of one line. */
export function printable(text: string): string {
  return text.replace(REWRITING, ' ');
}

/** A text of several lines for a terminal. What would rewrite it is written out (`\u001b`), which JSON reads back as it was. */
export function printableLines(text: string): string {
  return text.replace(REWRITING, (one) =>
    one === '\n' || one === '\t' ? one : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
