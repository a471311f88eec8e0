/** Messages of n3, and what they say to somebody who has written the document. */
const WORDS: readonly (readonly [RegExp, (what: string) => string])[] = [
  [
    /^Expected punctuation to follow "(.*)$/s,
    (what) => `a point, a comma or a semicolon is missing behind ${what}`,
  ],
  [/^Unexpected "(.*)$/s, (what) => `${what} is not understood`],
  [
    /^Expected (?:entity|predicate|expression) but got (.*)$/s,
    (what) => `something is missing before ${what}`,
  ],
];

/**
 * What is wrong with a document of the Turtle family, as part of a sentence. n3 puts quotes around the text that it names, which may
 * have quotes of its own, and ends with a full stop. This code also runs in browsers.
 */
export function turtleFault(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, said = message, line = ''] = /^(.*)( on line \d+)\.$/s.exec(message) ?? [];
  for (const [pattern, words] of WORDS) {
    const [, what] = pattern.exec(said) ?? [];
    if (what !== undefined) return words(named(what)) + line;
  }
  return said + line;
}

/** The text that n3 names: in quotes, unless it has some. */
function named(written: string): string {
  const text = written.endsWith('"') ? written.slice(0, -1) : written;
  if (text === 'eof') return 'the end';
  return text.includes('"') ? text : `"${text}"`;
}
