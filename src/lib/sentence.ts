/** A text without the full stop at its end: libraries write some, and it is to go on. This code also runs in browsers. */
export function withoutStop(text: string): string {
  return text.endsWith('.') ? text.slice(0, -1) : text;
}
