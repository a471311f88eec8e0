import { readFile, stat } from 'node:fs/promises';
import type { HostLists, HostRule } from '../../core/host-rules.js';
import type { Clock } from '../../lib/clock.js';
import { explain } from '../../lib/faults.js';
import type { GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { conditionsOf } from '../../lib/fetch/validators.js';
import type { LogTo } from '../../lib/log.js';

const SECOND = 1000;
/** How often a list is looked at, in ms: a file costs nothing, and a server is not asked all the time. */
const FILE_INTERVAL = 5 * SECOND;
const URL_INTERVAL = 5 * 60 * SECOND;
/** Bytes and lines of a list, at most. */
const LONGEST = { bytes: 1_000_000, lines: 20_000 } as const;

type ListName = 'deny' | 'allow';

/** Until a configured list has been read once, nothing is learned: the deny list names every host, the allow list none. */
const UNREAD: Record<ListName, readonly HostRule[]> = {
  deny: [{ pattern: '*', note: 'the list of discovery.denyList could not be read yet' }],
  allow: [],
};

export interface HostListParts {
  readonly fetch: GuardedFetch;
  readonly clock: Clock;
  readonly log: LogTo<'info' | 'warn'>;
}

/** A list that says something else than before. */
export interface ChangedList {
  /** The key of the configuration that names it. */
  readonly key: 'discovery.denyList' | 'discovery.allowList';
  readonly address: string;
  readonly rules: number;
}

/** One list, as it was read the last time. */
interface ListedHosts {
  readonly name: ListName;
  readonly address: string;
  rules: readonly HostRule[];
  /** Tells its text from another; absent until it has been read. */
  fingerprint?: string;
}

/** The lists of patterns that an operator keeps in files, or at URLs, and which are read again when they change. */
export class HostListReader {
  readonly #parts: HostListParts;
  readonly #lists: readonly ListedHosts[];
  readonly #abort = new AbortController();
  #loops: Promise<void>[] = [];

  /** Addresses are absolute paths or http(s) URLs; an empty one means that there is no such list. */
  constructor(addresses: { readonly allowList: string; readonly denyList: string }, parts: HostListParts) {
    this.#parts = parts;
    this.#lists = (['deny', 'allow'] as const)
      .map((name) => ({ name, address: addresses[`${name}List`], rules: UNREAD[name] }))
      .filter(({ address }) => address !== '');
  }

  get current(): HostLists {
    const { deny = [], allow } = Object.fromEntries(this.#lists.map(({ name, rules }) => [name, rules]));
    const unread = this.#lists.filter(({ fingerprint }) => fingerprint === undefined).map(({ name }) => name);
    return { deny, allow, unread };
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
    const { name, address } = list;
    const { signal } = this.#abort;
    const interval = isUrl(address) ? URL_INTERVAL : FILE_INTERVAL;
    for (;;) {
      await this.#parts.clock.sleep(interval, signal).catch(() => undefined);
      if (signal.aborted) return;
      if (await this.#read(list))
        changed({ key: `discovery.${name}List`, address, rules: list.rules.length });
    }
  }

  /** Does the list say something else than before? When it cannot be read, what was read last stays. */
  async #read(list: ListedHosts): Promise<boolean> {
    const { log, fetch } = this.#parts;
    const { name, address, fingerprint } = list;
    const { signal } = this.#abort;
    try {
      const read = isUrl(address)
        ? await textAt(address, fingerprint, fetch, signal)
        : await textIn(address, fingerprint);
      if (!read) return false;
      const rules = rulesIn(read.text);
      list.fingerprint = read.fingerprint;
      // A server without entity tags sends the same again and again.
      if (fingerprint !== undefined && JSON.stringify(rules) === JSON.stringify(list.rules)) return false;
      list.rules = rules;
      log.info({ list: address, rules: rules.length }, `the ${name} list was read`);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      const fields = { list: address, error: explain(error) };
      log.warn(
        fields,
        `the ${name} list cannot be read; what it said last stays, and nothing is learned before it has been read once`,
      );
      return false;
    }
  }
}

interface ReadList {
  readonly text: string;
  /** Tells this text from another. */
  readonly fingerprint: string;
}

async function textIn(path: string, before: string | undefined): Promise<ReadList | undefined> {
  const { mtimeMs, size } = await stat(path);
  const fingerprint = `${mtimeMs} ${size}`;
  if (fingerprint === before) return undefined;
  if (size > LONGEST.bytes) throw new Error(`it has more than ${LONGEST.bytes} bytes`);
  return { text: await readFile(path, 'utf8'), fingerprint };
}

async function textAt(
  url: string,
  before: string | undefined,
  guardedFetch: GuardedFetch,
  signal: AbortSignal,
): Promise<ReadList | undefined> {
  const headers = { accept: 'text/plain', ...conditionsOf({ etag: before }) };
  const answer = await guardedFetch(url, { trust: 'configured', headers, signal, maxBytes: LONGEST.bytes });
  if (answer.status !== 200) await answer.discard();
  if (answer.status === 304) return undefined;
  if (answer.status !== 200) throw new Error(`it answers ${answer.status}`);
  return { text: await answer.text(), fingerprint: answer.headers.get('etag') ?? '' };
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

function isUrl(address: string): boolean {
  return /^https?:\/\//i.test(address);
}
