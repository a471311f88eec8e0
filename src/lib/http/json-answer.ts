import type { Answer } from './resource.js';
import { jsonText, type Replacer } from './response/json-text.js';

/** A value as JSON that no cache stores. */
export function jsonAnswer(
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
  replacer?: Replacer,
): Answer {
  const all = { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers };
  return { status: 200, headers: all, body: jsonText(value, replacer) };
}
