import { MalformedInput } from '../faults.js';

/**
 * The input of a task, whose text may be given as its bytes in UTF-8. Bytes are handed to the worker instead of being
 * copied, so they cannot be used afterwards; a task always gets a string.
 */
export type Undecoded<Input> = Input extends { readonly text: string }
  ? Omit<Input, 'text'> & { readonly text: string | Uint8Array }
  : Input;

/** What of an input is handed to a worker instead of being copied. */
export function handedOver(input: unknown): ArrayBuffer[] {
  const text = bytesIn(input);
  return text?.buffer instanceof ArrayBuffer ? [text.buffer] : [];
}

/** The input as a task gets it. @throws MalformedInput for bytes that are not UTF-8 */
export function decoded(input: unknown): unknown {
  const text = bytesIn(input);
  return text ? { ...(input as object), text: inUtf8(text) } : input;
}

function bytesIn(input: unknown): Uint8Array | undefined {
  const { text } = (input ?? {}) as { text?: unknown };
  return text instanceof Uint8Array ? text : undefined;
}

function inUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    // Replaced characters would be stored as if they were meant.
    throw new MalformedInput('the text is not valid UTF-8', { cause });
  }
}
