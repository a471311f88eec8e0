import { frameMessageOf, type PastedDocument } from './pasted.js';

/** How long a frame may say nothing, in ms: longer than what is in it may take to show something. */
const PATIENCE = 25_000;

/**
 * Puts the frames into the list of what renders the visitor's data. One in which nothing can be shown says so, and goes
 * below those in which something is.
 *
 * @param pasted the document that is shown, where it has no address
 */
export function startFrames(pasted?: PastedDocument): void {
  const frames = new Map<MessageEventSource | null, HTMLElement>();
  for (const place of document.querySelectorAll<HTMLElement>('.live[data-frame]')) {
    const frame = frameIn(place);
    frames.set(frame.contentWindow, place);
    place.dataset.timer = String(setTimeout(() => fail(place, 'it says nothing'), PATIENCE));
  }
  addEventListener('message', ({ source, data }) => {
    const place = frames.get(source);
    const message = place && frameMessageOf(data);
    if (!place || !message) return;
    // A frame has an opaque origin, which a message cannot be addressed to; it goes to that window alone.
    if (message.what === 'document') return pasted && (source as Window).postMessage(pasted, '*');
    clearTimeout(Number(place.dataset.timer));
    if (message.what === 'failed') fail(place, message.why);
    else place.classList.add('shown');
  });
}

function frameIn(place: HTMLElement): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  frame.title = place.dataset.title ?? '';
  frame.className = 'trial';
  frame.setAttribute('sandbox', 'allow-scripts allow-forms');
  frame.referrerPolicy = 'no-referrer';
  frame.src = place.dataset.frame ?? '';
  place.append(frame);
  return frame;
}

function fail(place: HTMLElement, why: string): void {
  const note = document.createElement('p');
  note.className = 'alert';
  note.textContent = `Nothing is shown: ${why}.`;
  // Taking the frame away ends what runs in it.
  place.replaceChildren(note);
  const entry = place.closest('li');
  entry?.parentElement?.append(entry);
}
