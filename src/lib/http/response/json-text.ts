/** The end of every JSON body: without it, the prompt of a shell follows the body on the same line. */
export const NEWLINE: Uint8Array = Buffer.of(0x0a);

/** What `JSON.stringify` writes in the place of each member. */
export type Replacer = (key: string, value: unknown) => unknown;

/** A value as the body of an answer. */
export function jsonText(value: unknown, replacer?: Replacer): string {
  return `${JSON.stringify(value, replacer)}\n`;
}
