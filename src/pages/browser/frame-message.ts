/** What the script of a frame tells the page around it. */
export type FrameMessage =
  | { readonly about: 'trial'; readonly what: 'alive' | 'shown' }
  | { readonly about: 'trial'; readonly what: 'failed'; readonly why: string };

/** Reads a message of a frame; a component in it may send anything. */
export function frameMessageOf(data: unknown): FrameMessage | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const { about, what, why } = data as Record<string, unknown>;
  if (about !== 'trial') return undefined;
  if (what === 'alive' || what === 'shown') return { about, what };
  return what === 'failed' ? { about, what, why: String(why).slice(0, 500) } : undefined;
}
