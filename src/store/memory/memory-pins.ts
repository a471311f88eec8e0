import { type PinSubject, pinKey, samePin } from '../../component/pin.js';
import { decidedPins, type PinDecision, pinOf, type StoredPin } from '../../core/pins.js';
import { compareText } from '../../lib/compare-text.js';
import type { PinRequest, Pins } from '../../registry/pins.js';
import type { HeldDescription, MemoryCatalog } from './memory-catalog.js';
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

  async change<T extends PinSubject>(subjects: readonly T[], decide: PinDecision<T>): Promise<void> {
    const pins = new Map(this.#cell.data.pins);
    const decided = decidedPins(subjects, decide, {
      get: (subject) => pins.get(pinKey(subject)),
      isDescribed: (subject) => this.#describing(subject).length > 0,
    });
    if (decided.size === 0) return;
    const anew: HeldDescription[] = [];
    let moves = false;
    for (const [key, { subject, pin }] of decided) {
      if (pin) pins.set(key, pin);
      else pins.delete(key);
      const [served] = this.#catalog.statementsNow(subject.uri);
      for (const one of this.#describing(subject)) {
        const after = pinOf(pin, one);
        moves ||= !samePin(one.pin, after);
        if (one === served && (one.pin?.changed === undefined) !== (after?.changed === undefined))
          anew.push(one);
      }
    }
    this.#registry.setPins(pins, { moves, anew });
  }

  async get(subjects: readonly PinSubject[]): Promise<readonly (StoredPin | undefined)[]> {
    return subjects.map((subject) => this.#cell.data.pins.get(pinKey(subject)));
  }

  async list({ after = '', changed = false, limit }: PinRequest): Promise<readonly StoredPin[]> {
    return [...this.#cell.data.pins]
      .filter(([key, pin]) => key > after && !(changed && pin.changedAt === undefined))
      .sort(([one], [other]) => compareText(one, other))
      .slice(0, limit)
      .map(([, pin]) => pin);
  }

  async counts(): Promise<{ readonly all: number; readonly changed: number }> {
    const { pins } = this.#cell.data;
    const changed = [...pins.values()].filter((pin) => pin.changedAt !== undefined).length;
    return { all: pins.size, changed };
  }

  /** What is said of this version of the component. */
  #describing(subject: PinSubject): readonly HeldDescription[] {
    const statements = this.#catalog.statementsNow(subject.uri);
    return statements.filter(({ metadata }) => pinKey(metadata) === pinKey(subject));
  }
}
