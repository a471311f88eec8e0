import type { HostError, HostErrorReason } from '../host-error.js';
import type { Loadable } from '../load-component.js';
import type { Edit, Plans } from './element.js';
import type { Claim } from './element-names.js';

/** How long a frame may take to load what it shows, in ms. */
const TIMEOUT = 30_000;

/**
 * A frame without the origin, the cookies and the tokens of the page, in which elements have all names for themselves. It
 * gets what they need as a message, and tells of edits by messages.
 */
export class Frame {
  readonly element: HTMLIFrameElement;
  /** Is there something to see? @throws HostError that the frame tells of */
  readonly shows: Promise<boolean>;
  onEdit: (edit: Edit) => void = () => undefined;
  /** Hears what goes wrong once there is something to see. */
  onFailure: (error: unknown) => void = () => undefined;

  constructor(task: FrameTask, title: string, HostErrors: typeof HostError) {
    this.element = document.createElement('iframe');
    this.element.title = title;
    // Forms, because elements wait for their submit events.
    this.element.setAttribute('sandbox', 'allow-scripts allow-forms');
    this.element.referrerPolicy = 'no-referrer';
    this.element.style.cssText = 'border:0;width:100%;min-height:4em';
    this.element.srcdoc = `<!doctype html><meta charset="utf-8"><body style="margin:0"><script type="module" crossorigin src="${scriptUrl()}"></script>`;
    const { port1, port2 } = new MessageChannel();
    this.element.addEventListener(
      'load',
      // Its origin is opaque, so that no other target can be named.
      () => this.element.contentWindow?.postMessage(task, '*', [port2]),
      { once: true },
    );
    this.shows = new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        reject(new HostErrors('timeout', `${title}, is not there after ${TIMEOUT / 1000} s`));
      }, TIMEOUT);
      port1.onmessage = ({ data }: MessageEvent<FrameNews>) => {
        if ('height' in data) this.element.style.height = `${Math.min(Number(data.height), 10_000)}px`;
        else if ('edit' in data) this.onEdit(data.edit);
        else {
          clearTimeout(late);
          if ('shows' in data) return resolve(data.shows === true);
          const { reason, message } = data.failed;
          const error = new HostErrors(reason as HostErrorReason, `${title}: ${message}`);
          reject(error);
          this.onFailure(error);
        }
      };
    });
    this.shows.catch(() => undefined);
  }
}

function scriptUrl(): string {
  return new URL('../host-frame.js', import.meta.url).href.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}

/** What a frame is to show: elements, a fragment of HTML, or a component of the specification. */
export type FrameTask =
  | (Plans & { readonly claim: Claim })
  | { readonly claim: Claim; readonly fragment: string; readonly open: string }
  | {
      readonly component: Loadable;
      readonly entry: string;
      readonly integrity: string | false | undefined;
    };

/** What a frame tells of it. */
export type FrameNews =
  | { readonly shows: boolean }
  | { readonly height: number }
  | { readonly edit: Edit }
  | { readonly failed: { readonly reason: string; readonly message: string } };
