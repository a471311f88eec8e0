import { afterEach, beforeEach } from 'vitest';
import { type Cursor, cursorOf } from '../../src/core/cursor.js';
import { systemClock } from '../../src/lib/clock.js';
import type { Engine } from '../support/engines.js';
import type { TestOptions, TestRegistry } from '../support/registry.js';
import { ORDER } from './sources.js';

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

  say: TestRegistry['say'] = (...said) => this.registry.say(...said);

  cursor = async (): Promise<Cursor> => cursorOf(await this.registry.state());

  changes: TestRegistry['changes'] = (request) => this.registry.changes(request);
}
