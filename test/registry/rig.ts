import { afterEach, beforeEach } from 'vitest';
import type { Changes, ChangesRequest } from '../../src/catalog/catalog.js';
import type { Metadata } from '../../src/component/metadata.js';
import type { Source } from '../../src/component/source.js';
import { type Cursor, cursorOf } from '../../src/core/cursor.js';
import { systemClock } from '../../src/lib/clock.js';
import type { Engine } from '../support/engines.js';
import type { TestOptions, TestRegistry } from '../support/registry.js';
import { OK, ORDER } from './sources.js';

/** A registry on an engine of its own for each test of a contract, and short ways to change it and to ask it. */
export class Rig {
  /** What its clock shows, in ms since the Unix epoch. */
  now = 0;
  registry!: TestRegistry;
  #engine!: Engine;

  private constructor(readonly options: TestOptions) {}

  /** To be called within `describe`. */
  static of(createEngine: () => Promise<Engine>, options: TestOptions = {}): Rig {
    const rig = new Rig(options);
    beforeEach(async () => {
      rig.now = Date.UTC(2026, 10, 22);
      rig.#engine = await createEngine();
      await rig.#open();
    });
    afterEach(async () => {
      await rig.registry.close();
      await rig.#engine.remove();
    });
    return rig;
  }

  async #open(more: TestOptions = {}): Promise<void> {
    const clock = { now: () => this.now, sleep: systemClock.sleep };
    this.registry = await this.#engine.open({ order: ORDER, clock, ...this.options, ...more });
  }

  reopen = async (more: TestOptions = {}): Promise<void> => {
    await this.registry.close();
    await this.#open(more);
  };

  say = (source: Source, components: readonly Metadata[], url = `${source.url}doc`) =>
    this.registry.commit({
      source,
      documents: [{ url, components, record: { etag: '"1"' } }],
      record: OK,
    });

  cursor = async (): Promise<Cursor> => cursorOf(await this.registry.state());

  changes = async (request: Partial<ChangesRequest> = {}): Promise<Changes> => {
    const answer = await this.registry.catalog.changes({ limit: 10_000, ...request });
    if ('unknown' in answer) throw new Error(`The state is unknown: ${answer.unknown}`);
    return answer;
  };
}
