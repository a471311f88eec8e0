import { readFile, stat } from 'node:fs/promises';
import type { HostLists, HostRule } from '../../core/host-rules.js';
import type { Clock } from '../../lib/clock.js';
import { explain } from '../../lib/faults.js';
import type { GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { conditionsOf } from '../../lib/fetch/validators.js';
import type { SyncLog } from '../sync-log.js';

const SECOND = 1000;
/** How often a list is looked at, in ms: a file costs nothing, and a server is not asked all the time. */
const FILE_INTERVAL = 5 * SECOND;
const URL_INTERVAL = 5 * 60 * SECOND;
/** Bytes and lines of a list, at most. */
const LONGEST = { bytes: 1_000_000, lines: 20_000 } as const;

type ListName = 'deny' | 'allow';

/** What is not read is not learned from: until a list that is wanted has been read once, it names everything, or nothing. */
const UNREAD: Record<ListName, readonly HostRule[]> = {
  deny: [{ pattern: '*', note: 'the list of discovery.denyList could not be read yet' }],
  allow: [],
};

export interface HostListParts {
  readonly fetch: GuardedFetch;
  readonly clock: Clock;
  readonly log: SyncLog;
}

/** A list that says something else than before. */
export interface ChangedList {
  /** The key of the configuration that names it. */
  readonly key: 'discovery.denyList' | 'discovery.allowList';
  readonly place: string;
  readonly rules: number;
}

/** One list, as it was read the last time. */
interface ListedHosts {
  readonly name: ListName;
  readonly place: string;
  rules: readonly HostRule[];
  /** Tells its text from another; absent until it has been read. */
  mark?: string;
}

/** The lists of patterns that an operator keeps in files, or at URLs, and which are read again when they change. */
export class HostListReader {
  readonly #parts: HostListParts;
  readonly #lists: readonly ListedHosts[];
  readonly #abort = new AbortController();
  #loops: Promise<void>[] = [];

  /** Places are absolute paths or http(s) URLs; an empty one means that there is no such list. */
  constructor(places: { readonly allowList: string; readonly denyList: string }, parts: HostListParts) {
    this.#parts = parts;
    this.#lists = (['deny', 'allow'] as const)
      .map((name) => ({ name, place: places[`${name}List`], rules: UNREAD[name] }))
      .filter(({ place }) => place !== '');
  }

  get current(): HostLists {
    const { deny = [], allow } = Object.fromEntries(this.#lists.map(({ name, rules }) => [name, rules]));
    const unread = this.#lists.filter(({ mark }) => mark === undefined).map(({ name }) => name);
    return { deny, ...(allow && { allow }), unread };
  }

  /** Reads all lists once. */
  async read(): Promise<void> {
    for (const list of this.#lists) await this.#read(list);
  }

  /** Reads all lists, and then again and again; `changed` is called when one says something else. */
  async start(changed: (list: ChangedList) => void): Promise<void> {
    await this.read();
    this.#loops = this.#lists.map((list) => this.#follow(list, changed));
  }

  async stop(): Promise<void> {
    this.#abort.abort(new Error('The lists are not wanted any more'));
    await Promise.all(this.#loops);
  }

  async #follow(list: ListedHosts, changed: (list: ChangedList) => void): Promise<void> {
    const { name, place } = list;
    const { signal } = this.#abort;
    const interval = isUrl(place) ? URL_INTERVAL : FILE_INTERVAL;
    for (;;) {
      await this.#parts.clock.sleep(interval, signal).catch(() => undefined);
      if (signal.aborted) return;
      if (await this.#read(list)) changed({ key: `discovery.${name}List`, place, rules: list.rules.length });
    }
  }

  /** Does the list say something else than before? When it cannot be read, what was read last stays. */
  async #read(list: ListedHosts): Promise<boolean> {
    const { log, fetch } = this.#parts;
    const { name, place, mark } = list;
    const { signal } = this.#abort;
    try {
      const read = isUrl(place) ? await textAt(place, mark, fetch, signal) : await textIn(place, mark);
      if (!read) return false;
      const rules = rulesIn(read.text);
      list.mark = read.mark;
      // A server without entity tags sends the same again and again.
      if (mark !== undefined && JSON.stringify(rules) === JSON.stringify(list.rules)) return false;
      list.rules = rules;
      log.info({ list: place, rules: rules.length }, `the ${name} list was read`);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      const fields = { list: place, error: explain(error) };
      log.warn(
        fields,
        `the ${name} list cannot be read; what it said last stays, and nothing is learned before it has been read once`,
      );
      return false;
    }
  }
}

interface Read {
  readonly text: string;
  /** Tells this text from another. */
  readonly mark: string;
}

async function textIn(path: string, known: string | undefined): Promise<Read | undefined> {
  const { mtimeMs, size } = await stat(path);
  const mark = `${mtimeMs} ${size}`;
  if (mark === known) return undefined;
  if (size > LONGEST.bytes) throw new Error(`it has more than ${LONGEST.bytes} bytes`);
  return { text: await readFile(path, 'utf8'), mark };
}

async function textAt(
  url: string,
  known: string | undefined,
  guardedFetch: GuardedFetch,
  signal: AbortSignal,
): Promise<Read | undefined> {
  const headers = { accept: 'text/plain', ...conditionsOf({ etag: known }) };
  const answer = await guardedFetch(url, { trust: 'configured', headers, signal, maxBytes: LONGEST.bytes });
  if (answer.status !== 200) await answer.discard();
  if (answer.status === 304) return undefined;
  if (answer.status !== 200) throw new Error(`it answers ${answer.status}`);
  return { text: await answer.text(), mark: answer.headers.get('etag') ?? '' };
}

/** One pattern a line, with a note behind `#`. Lines that are no pattern are an error: a rule must not get lost. */
function rulesIn(text: string): HostRule[] {
  const lines = text.split(/\r?\n/);
  if (lines.length > LONGEST.lines) throw new Error(`it has more than ${LONGEST.lines} lines`);
  return lines.flatMap((line, i) => {
    const hash = line.indexOf('#');
    const pattern = (hash < 0 ? line : line.slice(0, hash)).trim();
    const note = hash < 0 ? '' : line.slice(hash + 1).trim();
    if (pattern === '') return [];
    if (!/^[^\s/,@?]{1,300}$/.test(pattern))
      throw new Error(`line ${i + 1} is not a host name or a pattern like *.example.org`);
    return [note === '' ? { pattern } : { pattern, note: note.slice(0, 300) }];
  });
}

function isUrl(place: string): boolean {
  return /^https?:\/\//i.test(place);
}
