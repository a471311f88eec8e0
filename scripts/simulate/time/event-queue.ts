/** Something that will happen at a time, unless it is cancelled. */
export interface ScheduledEvent {
  /** Virtual time, ms since the Unix epoch. */
  readonly time: number;
  /** Of events at the same time, the one that was scheduled first comes first. */
  readonly number: number;
  /** Undefined once it has been cancelled. */
  action: (() => void) | undefined;
}

/** Cancelled events that may lie in the queue, beside as many as there are others. */
const FEW = 1000;

/** Events in the order of their times: a binary heap. */
export class EventQueue {
  #heap: ScheduledEvent[] = [];
  #scheduled = 0;
  #cancelled = 0;

  /** Events that were not cancelled. */
  get size(): number {
    return this.#heap.length - this.#cancelled;
  }

  add(time: number, action: () => void): ScheduledEvent {
    this.#scheduled += 1;
    const event = { time, number: this.#scheduled, action };
    this.#heap.push(event);
    this.#rise(this.#heap.length - 1);
    return event;
  }

  /** Costs nothing at once; cancelled events are swept out when they are the larger part. */
  cancel(event: ScheduledEvent): void {
    if (!event.action) return;
    event.action = undefined;
    this.#cancelled += 1;
    if (this.#cancelled > FEW && this.#cancelled > this.#heap.length / 2) this.#sweep();
  }

  /** Takes out the next event, if it is not later than `until`. It can be cancelled no longer. */
  next(until: number): { readonly time: number; readonly action: () => void } | undefined {
    for (let first = this.#heap[0]; first && first.time <= until; first = this.#heap[0]) {
      this.#removeFirst();
      const { time, action } = first;
      first.action = undefined;
      if (action) return { time, action };
      this.#cancelled -= 1;
    }
    return undefined;
  }

  #removeFirst(): void {
    const last = this.#heap.pop();
    if (!last || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#sink(0);
  }

  #sweep(): void {
    this.#heap = this.#heap.filter(({ action }) => action);
    this.#cancelled = 0;
    for (let place = this.#heap.length >> 1; place >= 0; place--) this.#sink(place);
  }

  #rise(from: number): void {
    for (let place = from; place > 0; ) {
      const parent = (place - 1) >> 1;
      if (!this.#swapIfLater(parent, place)) return;
      place = parent;
    }
  }

  #sink(from: number): void {
    for (let place = from; ; ) {
      const left = 2 * place + 1;
      const child = isLater(this.#heap[left], this.#heap[left + 1]) ? left + 1 : left;
      if (!this.#swapIfLater(place, child)) return;
      place = child;
    }
  }

  #swapIfLater(upper: number, lower: number): boolean {
    const above = this.#heap[upper];
    const below = this.#heap[lower];
    if (!above || !below || !isLater(above, below)) return false;
    this.#heap[upper] = below;
    this.#heap[lower] = above;
    return true;
  }
}

function isLater(one: ScheduledEvent | undefined, other: ScheduledEvent | undefined): boolean {
  if (!one || !other) return false;
  return one.time > other.time || (one.time === other.time && one.number > other.number);
}
