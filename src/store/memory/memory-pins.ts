import { type PinSubject, pinKey, samePin } from '../../component/pin.js';
import { compareText } from '../../lib/compare-text.js';
import type { Description } from '../../registry/description.js';
import type { PinRequest, Pins, StoredPin } from '../../registry/pins.js';
import type { MemoryCatalog } from './memory-catalog.js';
import type { DataCell, MemoryRegistry } from './memory-registry.js';

/** The pins of a registry without a disk. */
export class MemoryPins implements Pins {
  readonly #cell: DataCell;
  readonly #catalog: MemoryCatalog;
  readonly #registry: MemoryRegistry;

  constructor(cell: DataCell, catalog: MemoryCatalog, registry: MemoryRegistry) {
    this.#cell = cell;
    this.#catalog = catalog;
    this.#registry = registry;
  }

  async set(pins: readonly StoredPin[]): Promise<void> {
    const before = this.#cell.data.pins;
    const after = new Map(before);
    for (const pin of pins) after.set(pinKey(pin), pin);
    const moved = pins.filter((pin) => !samePin(before.get(pinKey(pin)), pin));
    const news = moved.filter((pin) => {
      const known = before.get(pinKey(pin));
      return (known?.changed === undefined) !== (pin.changed === undefined);
    });
    this.#registry.setPins(after, { moves: moved.length > 0, anew: this.#served(news) });
  }

  async forget(subjects: readonly PinSubject[]): Promise<void> {
    const pins = new Map(this.#cell.data.pins);
    for (const subject of subjects) {
      const statements = this.#catalog.statementsNow(subject.uri);
      if (statements.every(({ metadata }) => pinKey(metadata) !== pinKey(subject)))
        pins.delete(pinKey(subject));
    }
    this.#registry.setPins(pins, { moves: false, anew: [] });
  }

  async get(subjects: readonly PinSubject[]): Promise<readonly (StoredPin | undefined)[]> {
    return subjects.map((subject) => this.#cell.data.pins.get(pinKey(subject)));
  }

  async list({ after = '', changed = false, limit }: PinRequest): Promise<readonly StoredPin[]> {
    return [...this.#cell.data.pins]
      .filter(([key, pin]) => key > after && !(changed && pin.changed === undefined))
      .sort(([one], [other]) => compareText(one, other))
      .slice(0, limit)
      .map(([, pin]) => pin);
  }

  async counts(): Promise<{ readonly all: number; readonly changed: number }> {
    const { pins } = this.#cell.data;
    const changed = [...pins.values()].filter((pin) => pin.changed !== undefined).length;
    return { all: pins.size, changed };
  }

  /** The served statements of these versions. */
  #served(pins: readonly PinSubject[]): Description[] {
    return pins.flatMap((pin) => {
      const [served] = this.#catalog.statementsNow(pin.uri);
      return served && pinKey(served.metadata) === pinKey(pin) ? [served] : [];
    });
  }
}
