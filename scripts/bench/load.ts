import autocannon from 'autocannon';

export interface Load {
  readonly url: string;
  /** Taken in turn; connections begin at different ones, so that no two ask the same at the same time. */
  readonly requests: readonly autocannon.Request[];
  readonly connections: number;
  readonly ms: number;
  /** Requests per second in all; as many as possible when absent. */
  readonly rate?: number;
}

export interface Loaded {
  readonly perSecond: number;
  /** 99th percentile of the latency, in ms. */
  readonly p99: number;
  /** Of an answer, on average. */
  readonly bytes: number;
}

/** Loads a server. @throws Error when any request fails, or is answered with another status than 200 and 304 */
export async function load({ url, requests, connections, ms, rate }: Load): Promise<Loaded> {
  const latencies: number[] = [];
  let begun = 0;
  const result = await autocannon({
    url,
    connections,
    duration: ms / 1000,
    requests: [...requests],
    ...(rate === undefined ? {} : { overallRate: rate }),
    setupClient(client) {
      const first = Math.floor((requests.length * begun++) / connections);
      client.setRequests([...requests.slice(first), ...requests.slice(0, first)]);
      // The histogram of the library counts whole milliseconds.
      client.on('response', (_status, _bytes, latency) => latencies.push(latency));
    },
  });
  const { errors, timeouts, throughput, duration, ...counts } = result;
  const refused = counts['4xx'] + counts['5xx'];
  if (errors + timeouts + refused > 0)
    throw new Error(`${errors} requests failed, ${timeouts} timed out, ${refused} were refused`);
  latencies.sort((one, other) => one - other);
  return {
    perSecond: latencies.length / duration,
    p99: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN,
    bytes: throughput.total / latencies.length,
  };
}
