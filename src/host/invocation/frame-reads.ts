import { ask, bytesOf, type Fetch } from '../fetching.js';

/** What an element in a frame asks the page to read. */
export interface FrameRead {
  readonly id: number;
  readonly url: string;
  readonly accept: string;
}

/** What the page answers, by the number of the request. */
export type FrameAnswer = { readonly id: number } & (
  | {
      readonly url: string;
      readonly status: number;
      readonly headers: readonly (readonly [string, string])[];
      readonly body: ArrayBuffer;
    }
  | { readonly failed: string }
);

/** Of one answer: bytes, and ms. */
const LIMITS = { body: 50_000_000, timeoutMs: 30_000 };
/** Answers of these have no body (Fetch, null body status). */
const BODILESS = [101, 204, 205, 304];

/** On the page: reads with its own fetch. Nothing but reading is done for a frame, and only from the web. */
export async function answerRead({ id, url, accept }: FrameRead, fetch: Fetch): Promise<FrameAnswer> {
  try {
    if (!/^https?:$/.test(new URL(url).protocol)) throw new TypeError(`${url} is no http or https URL`);
    const answer = await ask(url, { fetch, headers: { accept }, timeoutMs: LIMITS.timeoutMs });
    const { buffer } = await bytesOf(answer, LIMITS.body);
    return { id, url: answer.url || url, status: answer.status, headers: [...answer.headers], body: buffer };
  } catch (error) {
    return { id, failed: String(error) };
  }
}

/** In the frame: a fetch that has the page read. */
export function fetchThrough(
  port: Pick<MessagePort, 'addEventListener' | 'start'>,
  tell: (read: FrameRead) => void,
): Fetch {
  const waiting = new Map<
    number,
    { resolve: (answer: Response) => void; reject: (error: unknown) => void }
  >();
  let last = 0;
  port.addEventListener('message', ({ data }: MessageEvent<FrameAnswer>) => {
    const asked = waiting.get(data.id);
    waiting.delete(data.id);
    if ('failed' in data) asked?.reject(new TypeError(data.failed));
    else asked?.resolve(responseOf(data));
  });
  port.start();
  return async (input, init) => {
    const { method, url, headers } = new Request(input, init);
    if (method !== 'GET') throw new TypeError(`${method} ${url}: elements in a frame may only read`);
    last += 1;
    const id = last;
    const answered = new Promise<Response>((resolve, reject) => waiting.set(id, { resolve, reject }));
    tell({ id, url, accept: headers.get('accept') ?? '*/*' });
    return answered;
  };
}

function responseOf({ url, status, headers, body }: Exclude<FrameAnswer, { failed: string }>): Response {
  const known = headers.map(([name, value]): [string, string] => [name, value]);
  const response = new Response(BODILESS.includes(status) ? null : body, { status, headers: known });
  // A response that was not fetched has none, and relative links in it lead from there.
  Object.defineProperty(response, 'url', { value: url });
  return response;
}
