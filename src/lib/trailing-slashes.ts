/**
 * A text without the slashes at its end. The regular expression `/\/+$/` would do the same, but takes quadratic time
 * when a text has many slashes elsewhere, and these texts come from other servers and users.
 */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end--;
  return text.slice(0, end);
}
