/** The end of every JSON body: without it, the prompt of a shell follows the body on the same line. */
export const NEWLINE: Uint8Array = Buffer.of(0x0a);

/** A value as the body of an answer. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
