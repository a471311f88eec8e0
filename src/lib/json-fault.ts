import { MalformedInput } from './faults.js';

/** A position in a text as editors count it: both numbers start at 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** How many levels of arrays and objects in each other are read; reading is recursive. */
const DEEPEST = 500;

const SPACE = /[ \t\n\r]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON wants them escaped
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y;

/**
 * The position at which a text is no longer valid JSON (RFC 8259); undefined when all of it is. Errors of `JSON.parse` in
 * Node 20 name the position of some faults only. Nesting deeper than `DEEPEST` counts as a fault.
 */
export function jsonFault(text: string): TextPosition | undefined {
  const reader = new JsonReader(text);
  if (reader.wholeText()) return undefined;
  const before = text.slice(0, reader.at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** `JSON.parse` for the body of a request. @throws MalformedInput that names the position of a syntax error */
export function parseJsonBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const fault = jsonFault(text);
    const where = fault ? `breaks off at line ${fault.line}, column ${fault.column}` : 'is not JSON';
    throw new MalformedInput(`The body should be JSON, but ${where}`);
  }
}

/** Recognises the grammar without building values; after a `false`, `at` is the offending character. */
class JsonReader {
  at = 0;
  #depth = 0;

  constructor(readonly text: string) {}

  wholeText(): boolean {
    return this.#value() && this.#take(SPACE) && this.at === this.text.length;
  }

  #value(): boolean {
    this.#take(SPACE);
    if (this.#sign('{')) return this.#items('}', () => this.#member());
    if (this.#sign('[')) return this.#items(']', () => this.#value());
    return this.#take(STRING) || this.#take(SCALAR);
  }

  #items(end: string, item: () => boolean): boolean {
    if (this.#sign(end)) return true;
    if (this.#depth === DEEPEST) return false;
    this.#depth++;
    do {
      if (!item()) return false;
    } while (this.#sign(','));
    this.#depth--;
    return this.#sign(end);
  }

  #member(): boolean {
    this.#take(SPACE);
    return this.#take(STRING) && this.#sign(':') && this.#value();
  }

  #sign(character: string): boolean {
    this.#take(SPACE);
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  #take(token: RegExp): boolean {
    token.lastIndex = this.at;
    if (!token.test(this.text)) return false;
    this.at = token.lastIndex;
    return true;
  }
}
