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
  | { readonly failed: { readonly reason: string; readonly message: string } };

/**
 * Shows something in a frame without the origin, the cookies and the tokens of the page, in which elements have all names for
 * themselves. The frame gets what it needs as a message, and tells of edits by messages.
 */
export async function makeFrame(task: Task, title: string, around: Surroundings): Promise<Made> {
  const message = task.by === 'elements' ? { ...task, plans: await task.plans } : task;
  const element = document.createElement('iframe');
  element.title = title;
  // Forms, because elements wait for their submit events.
  element.setAttribute('sandbox', 'allow-scripts allow-forms');
  element.referrerPolicy = 'no-referrer';
  element.style.cssText = 'border:0;width:100%;min-height:4em';
  element.srcdoc = `<!doctype html><meta charset="utf-8"><body style="margin:0"><script type="module" crossorigin src="${scriptUrl()}"></script>`;
  const { port1, port2 } = new MessageChannel();
  // Its origin is opaque, so that no other target can be named.
  const send = () => element.contentWindow?.postMessage(message, '*', [port2]);
  element.addEventListener('load', send, { once: true });
  const shows = new Promise<boolean>((resolve, reject) => {
    const late = setTimeout(() => {
      reject(new HostError('timeout', `${title}, is not there after ${TIMEOUT / 1000} s`));
    }, TIMEOUT);
    port1.onmessage = ({ data }: MessageEvent<FrameNews>) => {
      if ('height' in data) element.style.height = `${Math.min(Number(data.height), 10_000)}px`;
      else if ('edit' in data) around.edited(data.edit, element);
      else {
        clearTimeout(late);
        if ('shows' in data) return resolve(data.shows === true);
        const { reason, message } = data.failed;
        const error = new HostError(reason as HostErrorReason, `${title}: ${message}`);
        reject(error);
        around.failed(error, element);
      }
    };
  });
  shows.catch(() => undefined);
  return { element, appeared: () => shows, stop: () => element.remove() };
}

function scriptUrl(): string {
  // This module may be in a chunk, which is below `/assets/`.
  const library = import.meta.url.includes('/assets/') ? '../host-frame.js' : './host-frame.js';
  return new URL(library, import.meta.url).href.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}
