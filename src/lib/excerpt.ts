/** Characters that tell people what a text is. */
const LENGTH = 240;

/** The beginning of a text, cut between words where it has some, and never within a character. This code also runs in browsers. */
export function excerpt(text: string, length = LENGTH): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length).replace(/\s+\S*$|[\uD800-\uDBFF]$/, '')} …`;
}
