import { HostError, type HostErrorReason } from '../host-error.js';
import type { Edit } from './element.js';
import type { Made, Surroundings, Task } from './make.js';

/** How long a frame may take to load what it shows, in ms. */
const TIMEOUT = 30_000;

/** What a frame tells of what it shows. */
export type FrameNews =
  | { readonly shows: boolean }
  | { readonly height: number }
  | { readonly edit: Edit }
  | { readonly failed: { readonly reason: string; readonly message: string } }
  /** Once a second: when nothing more is heard, it hangs, or another one in the same process does. */
  | { readonly alive: true };

/**
 * A frame without the origin, the cookies and the tokens of the page, for a document with the script `host-frame.js`. It is told
 * what to show by a message, and tells of it by messages.
 */
export function sandboxedFrame(
  title: string,
  document: { readonly src: string } | { readonly srcdoc: string },
  message: unknown,
  hear: (news: FrameNews) => void,
): HTMLIFrameElement {
  const frame = globalThis.document.createElement('iframe');
  // Forms, because elements wait for their submit events.
  frame.setAttribute('sandbox', 'allow-scripts allow-forms');
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }: MessageEvent<FrameNews>) => hear(data);
  // Its origin is opaque, so that no other target can be named.
  const send = () => frame.contentWindow?.postMessage(message, '*', [port2]);
  frame.addEventListener('load', send, { once: true });
  return Object.assign(frame, { title, referrerPolicy: 'no-referrer' }, document);
}

/** Shows something in a sandboxed frame, in which elements have all names for themselves. */
export async function makeFrame(task: Task, title: string, around: Surroundings): Promise<Made> {
  const message = task.by === 'elements' ? { ...task, plans: await task.plans } : task;
  const { promise: shows, resolve, reject } = Promise.withResolvers<boolean>();
  shows.catch(() => undefined);
  const late = setTimeout(() => {
    reject(new HostError('timeout', `${title}, is not there after ${TIMEOUT / 1000} s`));
  }, TIMEOUT);
  const script = `<script type="module" crossorigin src="${scriptUrl()}"></script>`;
  const srcdoc = `<!doctype html><meta charset="utf-8"><body style="margin:0">${script}`;
  const element = sandboxedFrame(title, { srcdoc }, message, (news) => {
    if ('height' in news) element.style.height = `${Math.min(Number(news.height), 10_000)}px`;
    if ('edit' in news) around.edited(news.edit, element);
    if ('shows' in news || 'failed' in news) clearTimeout(late);
    if ('shows' in news) resolve(news.shows === true);
    if ('failed' in news) {
      const error = new HostError(news.failed.reason as HostErrorReason, `${title}: ${news.failed.message}`);
      reject(error);
      around.failed(error, element);
    }
  });
  element.style.cssText = 'border:0;width:100%;min-height:4em';
  return { element, appeared: () => shows, stop: () => element.remove() };
}

function scriptUrl(): string {
  // This module may be in a chunk, which is below `/assets/`.
  const library = import.meta.url.includes('/assets/') ? '../host-frame.js' : './host-frame.js';
  return new URL(library, import.meta.url).href.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}
