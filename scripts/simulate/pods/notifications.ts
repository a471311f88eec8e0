import { OpenStream } from '../network/open-line.js';
import type { WireAnswer } from '../network/wire.js';

type Activity = 'Create' | 'Update' | 'Delete' | 'Add' | 'Remove';

const PATH = '.notifications/StreamingHTTPChannel2023/';
const CHANNEL = 'http://www.w3.org/ns/solid/terms#updatesViaStreamingHttp2023';
const AS = 'https://www.w3.org/ns/activitystreams#';

/** The resource whose notifications are at a URL, if any are. */
export function announced(url: string): string | undefined {
  const at = url.indexOf(PATH);
  return at < 0 ? undefined : decodeURIComponent(url.slice(at + PATH.length));
}

/** Lines on which a pod server tells of changes (Solid Notifications Protocol, StreamingHTTPChannel2023). */
export class Notifications {
  readonly #root: string;
  readonly #now: () => number;
  readonly #lines = new Map<string, Set<OpenStream>>();

  constructor({ root, now }: { readonly root: string; readonly now: () => number }) {
    this.#root = root;
    this.#now = now;
  }

  /** The link of a resource to its notifications. */
  link(url: string): string {
    return `<${new URL('/', this.#root).href}${PATH}${encodeURIComponent(url)}>; rel="${CHANNEL}"`;
  }

  /** Opens a line. It begins with the state that the resource is in. */
  open(topic: string, state: string | undefined): WireAnswer {
    const lines = this.#lines.get(topic) ?? new Set();
    this.#lines.set(topic, lines);
    const line = new OpenStream(() => lines.delete(line));
    lines.add(line);
    line.send(Buffer.from(this.#text(topic, 'Update', state)));
    const date = new Date(this.#now()).toUTCString();
    return { status: 200, headers: { 'content-type': 'text/turtle', date }, body: line };
  }

  /** Something has happened to a resource; `member`: which member of a container has come or gone. */
  tell(topic: string, activity: Activity, state: string | undefined, member?: string): void {
    const lines = this.#lines.get(topic);
    if (!lines || lines.size === 0) return;
    const text = Buffer.from(this.#text(topic, activity, state, member));
    for (const line of lines) line.send(text);
  }

  endAll(): void {
    for (const lines of this.#lines.values()) for (const line of lines) line.end();
    this.#lines.clear();
  }

  #text(topic: string, activity: Activity, state: string | undefined, member = topic): string {
    const now = this.#now();
    return [
      `<urn:${now}:${topic}> <${AS}object> <${member}>;`,
      ...(member === topic ? [] : [`    <${AS}target> <${topic}>;`]),
      ...(state === undefined
        ? []
        : [`    <http://www.w3.org/ns/solid/notifications#state> ${JSON.stringify(state)};`]),
      `    <${AS}published> "${new Date(now).toISOString()}"^^<http://www.w3.org/2001/XMLSchema#dateTime>;`,
      `    a <${AS}${activity}>.\n\n`,
    ].join('\n');
  }
}
