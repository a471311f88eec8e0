import type { Clock } from '../../lib/clock.js';
import { FetchFailure, type GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { conditionsOf, type Validators, validatorsOf } from '../../lib/fetch/validators.js';
import type { LogTo } from '../../lib/log.js';
import { PictureFault } from '../../lib/picture/bounds.js';
import { cleanPicture } from '../../lib/picture/clean-picture.js';
import type { Description } from '../../registry/description.js';
import type { Pictures } from '../../store/pictures.js';
import { BackedOff } from './backed-off.js';

/** Bytes of a picture, and ms for all of it. */
const BOUNDS = { maxBytes: 500_000, timeoutMs: 10_000 } as const;
const HOUR = 3_600_000;
const BACK_OFF = { first: HOUR, longest: 24 * HOUR };

export interface PictureRoundParts {
  readonly pictures: Pictures;
  readonly fetch: GuardedFetch;
  readonly clock: Clock;
  /** In ms: between two requests, and between two readings of one picture. */
  readonly times: { readonly pause: number; readonly check: number };
  readonly log: LogTo<'debug'>;
}

/** Fetches the pictures that served descriptions name, as their modules are fetched: guarded, one after the other, and again after a while. */
export class PictureRound {
  readonly #parts: PictureRoundParts;
  readonly #failing: BackedOff;
  /** When each was read last, and what its server said of it. After a restart each is read once more. */
  readonly #read = new Map<string, Validators & { readonly at: number }>();

  constructor(parts: PictureRoundParts) {
    this.#parts = parts;
    this.#failing = new BackedOff(BACK_OFF, () => parts.clock.now());
  }

  async look(descriptions: readonly Description[], signal: AbortSignal): Promise<void> {
    const { clock, times, pictures } = this.#parts;
    for (const { metadata, source } of descriptions) {
      const { image } = metadata;
      if (image === undefined || source.kind === 'sample') continue;
      const known = pictures.has(image) ? this.#read.get(image) : undefined;
      const isDue = !known || known.at + times.check <= clock.now();
      const isWaiting = this.#failing.isWaiting(image) || this.#failing.isWaiting(new URL(image).host);
      if (!isDue || isWaiting || (pictures.isFull && !pictures.has(image))) continue;
      if (signal.aborted) return;
      await this.#fetch(image, known, signal);
      await clock.sleep(times.pause, signal).catch(() => undefined);
    }
  }

  /** Forgets the pictures that no description names any more. @param named all that are named */
  async sweep(named: ReadonlySet<string>): Promise<void> {
    for (const url of this.#read.keys()) if (!named.has(url)) this.#read.delete(url);
    await this.#parts.pictures.keepOnly(named);
  }

  async #fetch(url: string, known: Validators | undefined, signal: AbortSignal): Promise<void> {
    const { fetch: guardedFetch, pictures, clock, log } = this.#parts;
    try {
      const headers = { accept: 'image/webp, image/png, image/jpeg', ...conditionsOf(known ?? {}) };
      const answer = await guardedFetch(url, { headers, trust: 'learned', signal, ...BOUNDS });
      const isSame = answer.status === 304 && known !== undefined;
      if (answer.status !== 200) await answer.discard();
      if (answer.status >= 500) return this.#failing.failed(url, `its server answers ${answer.status}`);
      if (answer.status !== 200 && !isSame) throw new PictureFault(`its server answers ${answer.status}`);
      if (!isSame) await pictures.write(url, cleanPicture(Buffer.from(await answer.bytes())));
      this.#read.set(url, { ...(isSame ? known : validatorsOf(answer.headers)), at: clock.now() });
      this.#failing.succeeded(url);
    } catch (error) {
      if (!(error instanceof PictureFault || error instanceof FetchFailure)) throw error;
      this.#failing.failed(url, error.message);
      log.debug({ url, error: error.message }, 'a picture of a component could not be had');
      // The others of a server that does not answer need not be tried now.
      if (error instanceof FetchFailure) this.#failing.failed(new URL(url).host, error.message);
      // A server that does not answer says nothing of the picture; one that sends something else takes it back.
      else await pictures.forget(url);
    }
  }
}
