import { isChanged, type PinSubject, pinKey, samePin } from '../../component/pin.js';
import { decidedPins, type PinDecision, pinOf, type StoredPin } from '../../core/pins.js';
import { compareText } from '../../lib/compare-text.js';
import type { PinRequest, Pins } from '../../registry/pins.js';
import type { MemoryCatalog } from './memory-catalog.js';
import type { MemoryStatement } from './memory-data.js';
import type { MemoryRegistry } from './memory-registry.js';

export class MemoryPins implements Pins {
  readonly #registry: MemoryRegistry;
  readonly #catalog: MemoryCatalog;

  constructor(registry: MemoryRegistry, catalog: MemoryCatalog) {
    this.#registry = registry;
    this.#catalog = catalog;
  }

  change<T extends PinSubject>(subjects: readonly T[], decide: PinDecision<T>): Promise<void> {
    return this.#registry.inTurn(async () => this.#change(subjects, decide));
  }

  #change<T extends PinSubject>(subjects: readonly T[], decide: PinDecision<T>): void {
    const pins = new Map(this.#registry.data.pins);
    const describing = (subject: PinSubject) =>
      this.#catalog.described(subject.uri).filter(({ metadata }) => pinKey(metadata) === pinKey(subject));
    const decided = decidedPins(subjects, decide, {
      get: (subject) => pins.get(pinKey(subject)),
      isDescribed: (subject) => describing(subject).length > 0,
    });
    if (decided.size === 0) return;
    const news: MemoryStatement[] = [];
    let moves = false;
    for (const [key, { subject, pin }] of decided) {
      if (pin) pins.set(key, pin);
      else pins.delete(key);
      const [served] = this.#catalog.described(subject.uri);
      for (const one of describing(subject)) {
        const after = pinOf(pin, one);
        moves ||= !samePin(one.pin, after);
        const isNews = isChanged(one.pin) !== isChanged(after);
        if (isNews && one.statement === served?.statement) news.push({ ...one.statement, since: one.since });
      }
    }
    this.#registry.setPins(pins, { moves, news });
  }

  async get(subjects: readonly PinSubject[]): Promise<readonly (StoredPin | undefined)[]> {
    return subjects.map((subject) => this.#registry.data.pins.get(pinKey(subject)));
  }

  async list({ after = '', changed = false, limit }: PinRequest): Promise<readonly StoredPin[]> {
    return [...this.#registry.data.pins]
      .filter(([key, pin]) => key > after && !(changed && pin.changedAt === undefined))
      .sort(([one], [other]) => compareText(one, other))
      .slice(0, limit)
      .map(([, pin]) => pin);
  }

  async counts(): Promise<{ readonly all: number; readonly changed: number }> {
    const pins = [...this.#registry.data.pins.values()];
    return { all: pins.length, changed: pins.filter((pin) => pin.changedAt !== undefined).length };
  }
}
