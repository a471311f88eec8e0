import { explain, MalformedInput } from './faults.js';

/** How much structure a JSON text may have: levels in each other, and members of arrays and objects, all together. */
export interface JsonBounds {
  readonly depth: number;
  readonly members: number;
}

/** A text, or its bytes in UTF-8: the characters that count here are single bytes there. */
type JsonSource = string | Uint8Array;

/** Metadata has a member in 20 characters or more, in any of the ways in which it is written. */
const generous = ({ length }: JsonSource) => ({ depth: 100, members: 100_000 + Math.ceil(length / 14) });

/**
 * `JSON.parse` for texts from other servers and users. The bounds are checked first, in one pass over the text: deep
 * nesting takes native memory that no heap limit counts, and a short member takes many times the memory of its text.
 * @throws MalformedInput
 */
export function parseBoundedJson(text: string, bounds = generous(text)): unknown {
  refuseExcess(text, bounds);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new MalformedInput(`Not JSON: ${explain(cause)}`, { cause });
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** `[` and `{`, `]` and `}` differ in this bit alone. */
const CURLY = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Refuses JSON that has too much structure, whether it is JSON or not. @throws MalformedInput */
export function refuseExcess(text: JsonSource, bounds = generous(text)): void {
  let depth = 0;
  let members = 0;
  for (let at = 0; at < text.length; at++) {
    const code = codeAt(text, at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA) members += 1;
    else if ((code | CURLY) === OPEN) {
      depth += 1;
      members += 1;
      if (depth > bounds.depth) throw new MalformedInput(`The JSON is nested more than ${bounds.depth} deep`);
    } else if ((code | CURLY) === CLOSE) depth -= 1;
    if (members > bounds.members)
      throw new MalformedInput(`The JSON has more than ${bounds.members} members`);
  }
}

/** The index of the closing quote, or the end of a text without one. */
function endOfString(text: JsonSource, opening: number): number {
  let at = opening + 1;
  while (at < text.length && codeAt(text, at) !== QUOTE) at += codeAt(text, at) === BACKSLASH ? 2 : 1;
  return at;
}

function codeAt(text: JsonSource, at: number): number {
  return typeof text === 'string' ? text.charCodeAt(at) : (text[at] ?? 0);
}
