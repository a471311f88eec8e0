/** How long to wait before a stream is opened again that the node has refused, in ms: all its streams are taken. */
const REFUSED_MS = 60_000;

let tell: () => void = () => undefined;
let stream: EventSource | undefined;
let cursor: string | undefined;

/**
 * Calls `changed` whenever the node tells that something has changed, and when the stream to it is lost, so that the page
 * can find out what is the matter. While no hints come, ask the node from time to time. A page that is not looked at
 * closes its stream, because browsers allow few connections to one server.
 */
export function followHints(changed: () => void): void {
  tell = changed;
  document.addEventListener('visibilitychange', openOrClose);
  openOrClose();
}

/** Does the node tell when something changes? */
export function hintsCome(): boolean {
  return stream?.readyState === EventSource.OPEN;
}

function openOrClose(): void {
  const isVisible = document.visibilityState === 'visible';
  if (!isVisible) stream?.close();
  if (!isVisible || stream?.readyState === EventSource.CLOSED) stream = undefined;
  if (isVisible && !stream) stream = openStream();
}

function openStream(): EventSource {
  const opened = new EventSource(`${document.body.dataset.root}/feed`);
  opened.onmessage = ({ data }: MessageEvent<string>) => {
    // The first cursor is that of the page as it was loaded.
    const isNews = cursor !== undefined && cursor !== data;
    cursor = data;
    if (isNews) tell();
  };
  opened.onerror = () => {
    tell();
    // The browser opens a stream again that was lost, but not one that was refused.
    if (opened.readyState === EventSource.CLOSED) setTimeout(openOrClose, REFUSED_MS);
  };
  return opened;
}
