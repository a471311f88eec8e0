import { HostError } from './host-error.js';

/** `fetch`, or what stands in its place: the authenticated one of a Solid session, for instance. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

export const pageFetch: Fetch = (url, init) => globalThis.fetch(url, init);

export interface Ask extends RequestInit {
  readonly fetch: Fetch;
  /** Covers the body, too. */
  readonly timeoutMs: number;
}

/** Sends a request; any status is an answer. @throws HostError `network` or `timeout` */
export async function ask(url: string, { fetch, timeoutMs, signal, ...init }: Ask): Promise<Response> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const both = signal ? AbortSignal.any([signal, deadline]) : deadline;
  try {
    return await fetch(url, { ...init, signal: both });
  } catch (cause) {
    throw failureOf(url, cause);
  }
}

/** The same, for those who can use nothing but a success. @throws HostError `status` for every other answer */
export async function askForSuccess(url: string, request: Ask): Promise<Response> {
  const response = await ask(url, request);
  if (response.ok) return response;
  return refuse(response, unsuccessful(request.method ?? 'GET', url, response.status));
}

export function unsuccessful(method: string, url: string, status: number): HostError {
  return new HostError('status', `${method} ${url} was answered with ${status}`, { status });
}

/** The whole body. @throws HostError `size` for one of more than `maxBytes`, `network` for one that breaks off */
export async function bytesOf(response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = new HostError('size', `${response.url} is larger than ${maxBytes} bytes`);
  if (Number(response.headers.get('content-length')) > maxBytes) return refuse(response, tooLarge);
  let size = 0;
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform: (piece, controller) => {
      size += piece.length;
      if (size > maxBytes) controller.error(tooLarge);
      else controller.enqueue(piece);
    },
  });
  try {
    return new Uint8Array(await new Response(response.body?.pipeThrough(bounded)).arrayBuffer());
  } catch (cause) {
    throw size > maxBytes ? tooLarge : failureOf(response.url, cause);
  }
}

/** The whole body as text: UTF-8, as every format here is. */
export async function textOf(response: Response, maxBytes: number): Promise<string> {
  return new TextDecoder().decode(await bytesOf(response, maxBytes));
}

/** @throws HostError `syntax` */
export function parseJson(text: string, uri: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HostError('syntax', `${uri} is not JSON`, { cause });
  }
}

/** Lets go of a body that nobody reads. */
export async function giveUp(response: Response): Promise<void> {
  await response.body?.cancel();
}

/** The same for an answer that is of no use. @throws the error that says why */
export async function refuse(response: Response, error: HostError): Promise<never> {
  await giveUp(response);
  throw error;
}

/** The media type of an answer, lower case and without parameters; `''` when it has none. */
export function mediaTypeOf({ headers }: Response): string {
  return (headers.get('content-type') ?? '').replace(/;.*$/s, '').trim().toLowerCase();
}

function failureOf(url: string, cause: unknown): HostError {
  if (cause instanceof HostError) return cause;
  if (cause instanceof Error && cause.name === 'TimeoutError') {
    return new HostError('timeout', `${url} took too long to answer`, { cause });
  }
  // A browser does not tell pages which of the two it was.
  const why = `${url} cannot be reached, or does not let pages of other origins read it`;
  return new HostError('network', why, { cause });
}
