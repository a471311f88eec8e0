import type { RequestListener } from 'node:http';

/**
 * Tells the `User-Agent` of every request that has one, before any cache answers it. The raw list is read, because Node.js
 * makes the object `headers` of a request only when it is asked for.
 */
export function tellUserAgents(next: RequestListener, tell: (userAgent: string) => void): RequestListener {
  return (incoming, outgoing) => {
    const { rawHeaders } = incoming;
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const name = rawHeaders[i] ?? '';
      if (name.length !== 10 || name.toLowerCase() !== 'user-agent') continue;
      tell(rawHeaders[i + 1] ?? '');
      break;
    }
    next(incoming, outgoing);
  };
}
