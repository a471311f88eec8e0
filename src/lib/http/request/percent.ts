/** Decodes percent-encoding; `undefined` when it is broken or not UTF-8, where the platform would throw. */
export function percentDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
