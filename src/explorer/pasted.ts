import { PASTED } from '../lib/pasted-url.js';

/** A document that is in the visitor's browser alone. */
export interface PastedDocument {
  readonly text: string;
  /** Its media type. */
  readonly type: string;
}

/** What the script of a frame tells the page around it, and asks it for. */
export type FrameMessage =
  | { readonly about: 'trial'; readonly what: 'alive' | 'shown' | 'document' }
  | { readonly about: 'trial'; readonly what: 'failed'; readonly why: string };

/** Reads a message of a frame; a component in it may send anything. */
export function frameMessageOf(data: unknown): FrameMessage | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const { about, what, why } = data as Record<string, unknown>;
  if (about !== 'trial') return undefined;
  if (what === 'alive' || what === 'shown' || what === 'document') return { about, what };
  return what === 'failed' ? { about, what, why: String(why).slice(0, 500) } : undefined;
}

/** A fetch that answers for the pasted document, and asks the web for everything else. */
export function fetchWith({ text, type }: PastedDocument): typeof fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (url.replace(/#.*$/s, '') !== PASTED) return fetch(input, init);
    const answer = new Response(text, { headers: { 'content-type': type } });
    Object.defineProperty(answer, 'url', { value: PASTED });
    return answer;
  };
}
