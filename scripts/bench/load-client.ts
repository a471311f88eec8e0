/**
 * The client of the benchmark, in a process of its own: a few connections, each with one request under way,
 * written as prepared bytes and read with hardly more than a look at the head, so that it costs less than
 * any server. Told what to do by its parent, over IPC.
 */
import { connect } from 'node:net';

export const VARYING = '~varying~varying~varying';

export interface LoadOrder {
  readonly port: number;
  /**
   * Requests as they go over the wire, taken in turn. `VARYING` in one becomes blanks and tabs, different ones
   * each time: JSON means the same by them, and no cache has seen them.
   */
  readonly requests: readonly string[];
  readonly connections: number;
  readonly ms: number;
  /** Requests per second in all; as many as possible when absent. */
  readonly rate?: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly bytes: number;
  readonly seconds: number;
  /** Answers whose status is none of 200 and 304. */
  readonly failed: number;
  /** Latency in ms. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export async function load({
  port,
  requests,

  connections,
  ms,
  rate,
}: LoadOrder): Promise<LoadResult> {
  const latencies: number[] = [];
  const request = requestMaker(requests);
  const sum = { bytes: 0, failed: 0 };
  const started = performance.now();
  const gap = rate === undefined ? 0 : (1000 * connections) / rate;
  const ends = started + ms;
  // At full speed the client never sleeps: a server that has to wake it up would pay for that, and the fastest
  // most rarely. At a given rate it leaves the processor to the server.
  let awake = rate === undefined;
  const stayAwake = () => {
    if (awake) setImmediate(stayAwake);
  };
  stayAwake();
  await Promise.all(
    Array.from({ length: connections }, (_, place) => {
      return new Promise<void>((resolve, reject) => {
        const socket = connect(port, '127.0.0.1').setNoDelay(true);
        let asked = 0;
        let due = started + (gap * place) / connections;
        let missing = -1;
        const ask = () => {
          if (performance.now() >= ends) return void socket.end(resolve);
          asked = performance.now();
          socket.write(request());
        };
        // A paced client asks when it is due, and what came late counts from then: waiting is latency, too.
        const next = () => {
          if (gap === 0) return ask();
          due += gap;
          const wait = due - performance.now();
          const start = () => {
            ask();
            asked = due;
          };
          if (wait <= 0) start();
          else setTimeout(start, wait);
        };
        socket.on('connect', gap === 0 ? ask : next).on('error', reject);
        socket.on('data', (chunk) => {
          sum.bytes += chunk.length;
          if (missing < 0) {
            const head = chunk.indexOf('\r\n\r\n');
            if (head < 0)
              return reject(new Error('an answer whose head comes in two pieces is not expected'));
            const text = chunk.toString('latin1', 0, head);
            const status = text.slice(9, 12);
            if (status !== '200' && status !== '304') sum.failed++;
            missing = (status === '304' ? 0 : lengthOf(text)) + head + 4;
          }
          missing -= chunk.length;
          if (missing > 0) return;
          missing = -1;
          latencies.push(performance.now() - asked);
          next();
        });
      });
    }),
  );
  awake = false;
  const seconds = (performance.now() - started) / 1000;
  latencies.sort((one, other) => one - other);
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  return {
    requests: latencies.length,
    bytes: sum.bytes,
    failed: sum.failed,
    seconds,
    p50: at(0.5),
    p99: at(0.99),
    max: at(1),
  };
}

/** Never begins anew, so that no two of this process are the same. */
let made = 0;

function requestMaker(requests: readonly string[]): () => string {
  const parts = requests.map((request) => request.split(VARYING));
  return () => {
    made += 1;
    const [before = '', after] = parts[made % parts.length] as string[];
    return after === undefined ? before : before + blanks(made) + after;
  };
}

/** A number in blanks and tabs, as long as `VARYING`. */
function blanks(number: number): string {
  return number.toString(2).padStart(VARYING.length, '0').replaceAll('0', ' ').replaceAll('1', '\t');
}

function lengthOf(head: string): number {
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`an answer without Content-Length is not expected:\n${head}`);
  return Number(length);
}

process.on('message', (order: LoadOrder) => {
  load(order).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
