import { type ParseError, type ParseOptions, parse } from 'jsonc-parser';
import { MalformedInput } from './faults.js';

/** `JSON.parse` for the body of a request. @throws MalformedInput that names the position of a syntax error */
export function parseJsonBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { position } = read(text, { disallowComments: true });
    const fault = position ? `breaks off at ${position}` : 'is not JSON';
    throw new MalformedInput(`The body should be JSON, but ${fault}`, { cause });
  }
}

/** JSON as people write it: with comments, and commas at the end. @throws MalformedInput that names the position of a syntax error */
export function parseCommentedJson(text: string): unknown {
  const { value, position } = read(text, { allowTrailingComma: true });
  if (position === undefined) return value;
  throw new MalformedInput(`${position}: this is not JSON (comments, and commas at the end, are allowed)`);
}

/** The value that a JSON text stands for; undefined for a text that is none, which no error quotes: it may hold secrets. */
export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function read(text: string, options: ParseOptions): { readonly value?: unknown; readonly position?: string } {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, options);
  const [first] = errors;
  return first ? { position: positionIn(text, first.offset) } : { value };
}

/** As editors count: lines and columns start at 1. */
function positionIn(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}
