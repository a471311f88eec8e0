/**
 * A text without the slashes at its end. `/\/+$/` would do the same, but takes quadratic time on slashes that stand
 * elsewhere, and strangers write these texts.
 */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end--;
  return text.slice(0, end);
}
