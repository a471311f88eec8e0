import type { Problem } from './problem.js';
import type { Answer } from './response/answer.js';

/** The end of every JSON body: without it, the prompt of a shell follows the body on the same line. */
export const NEWLINE: Uint8Array = Buffer.of(0x0a);

/** What `JSON.stringify` writes in the place of each member. */
type Replacer = (key: string, value: unknown) => unknown;

/** A value as the body of an answer. */
export function jsonText(value: unknown, replacer?: Replacer): string {
  return `${JSON.stringify(value, replacer)}\n`;
}

/** A value as JSON that no cache stores. */
export function jsonAnswer(
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
  replacer?: Replacer,
): Answer {
  const all = { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers };
  return { status: 200, headers: all, body: jsonText(value, replacer) };
}

/** A problem as its document (RFC 9457). */
export function problemAnswer(problem: Problem): Answer {
  const headers = { ...problem.headers, 'content-type': 'application/problem+json' };
  return { ...jsonAnswer(problem, headers), status: problem.status };
}
