import { setTimeout as later } from 'node:timers/promises';
import autocannon from 'autocannon';

export interface Load {
  readonly url: string;
  /** Taken in turn; connections begin at different ones, so that no two ask the same at the same time. */
  readonly requests: readonly autocannon.Request[];
  readonly connections: number;
  readonly ms: number;
}

/**
 * Asks as much as a server answers. `bytes`: of an answer, on average.
 * @throws Error when any request fails, or is answered with another status than 200 and 304
 */
export async function load({ url, requests, connections, ms }: Load) {
  let begun = 0;
  const result = await autocannon({
    url,
    connections,
    duration: ms / 1000,
    requests: [...requests],
    setupClient(client) {
      const first = Math.floor((requests.length * begun++) / connections);
      client.setRequests([...requests.slice(first), ...requests.slice(0, first)]);
    },
  });
  const { errors, timeouts, throughput, duration, ...counts } = result;
  const answers = counts['2xx'] + counts['3xx'];
  const refused = counts['4xx'] + counts['5xx'];
  if (errors + timeouts + refused > 0)
    throw new Error(`${errors} requests failed, ${timeouts} timed out, ${refused} were refused`);
  return { perSecond: answers / duration, bytes: throughput.total / answers };
}

let made = 0;

/** A request of which no two have the same body: behind it are other blanks and tabs each time, and JSON means the same. */
export function varied(request: autocannon.Request): autocannon.Request {
  return {
    ...request,
    setupRequest(asked) {
      made += 1;
      const blanks = made.toString(2).replaceAll('0', ' ').replaceAll('1', '\t');
      return { ...asked, body: String(request.body) + blanks };
    },
  };
}

/**
 * The 99th percentile of latencies, in ms, at so many requests a second. A latency begins when its request is due, so that
 * waiting counts, too. autocannon would send the requests of a second all at once.
 */
export async function pacedP99(
  { url, requests, ms }: Omit<Load, 'connections'>,
  rate: number,
): Promise<number> {
  const begun = performance.now();
  const ask = async (_: unknown, i: number) => {
    const due = begun + (1000 * i) / rate;
    await later(due - performance.now());
    const { path = '/', method, headers, body } = requests[i % requests.length] ?? {};
    const answer = await fetch(url + path, { method, headers, body } as RequestInit);
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`a request was answered ${answer.status}`);
    return performance.now() - due;
  };
  const latencies = await Promise.all(Array.from({ length: Math.floor((ms * rate) / 1000) }, ask));
  latencies.sort((one, other) => one - other);
  return latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN;
}
