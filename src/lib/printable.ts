/** Strangers wrote these texts; a control character in them could rewrite what stands on a terminal. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ');
}
