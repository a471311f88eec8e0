import { type FakeAnswer, type FakeServer, fakeServer, type SeenRequest } from '../fake-server.js';

declare global {
  interface Window {
    /** What has gone wrong on a page that has `WATCH`. */
    readonly faults: string[];
  }
}

/** A script that keeps what goes wrong on its page, for browsers whose driver does not tell of it. */
export const WATCH = `window.faults = [];
for (const type of ['error', 'unhandledrejection', 'securitypolicyviolation'])
  addEventListener(type, ({ message, reason, blockedURI, target }) => {
    faults.push([type, message ?? reason ?? blockedURI ?? target.src].join(' '));
  }, true);`;

/** A door to a node, of which `origin` tells where it listens: all pages behind it have `WATCH`, under their own policy. */
export async function watchedPages(origin: () => string): Promise<FakeServer> {
  const pass = async ({ method, url, headers, body }: SeenRequest): Promise<FakeAnswer> => {
    if (url === '/watch.js') return { headers: { 'content-type': 'text/javascript' }, body: WATCH };
    const { accept = '*/*', 'content-type': type = '' } = headers;
    const passed = { accept, 'content-type': type };
    const answer = await fetch(origin() + url, { method, headers: passed, ...(body && { body }) });
    const whole = Buffer.from(await answer.arrayBuffer());
    const isPage = answer.headers.get('content-type')?.startsWith('text/html');
    const watched = '<head><script src="/watch.js"></script>';
    // The body is as long as it is here, and no longer compressed.
    const { 'content-encoding': _, 'content-length': __, ...kept } = Object.fromEntries(answer.headers);
    return {
      status: answer.status,
      headers: kept,
      body: isPage ? String(whole).replace('<head>', watched) : whole,
    };
  };
  return (await fakeServer()).everything(pass);
}
