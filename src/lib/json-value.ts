/**
 * The value that a JSON text stands for; undefined for a text that is none. The error of `JSON.parse` would quote the text,
 * which may hold secrets.
 */
export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
