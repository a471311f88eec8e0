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

  /** When the next event is due, if there is one. */
  get nextTime(): number | undefined {
    while (this.#heap[0] && !this.#heap[0].action) {
      this.#removeFirst();
      this.#cancelled -= 1;
    }
    return this.#heap[0]?.time;
  }

  add(time: number, action: () => void): ScheduledEvent {
    this.#scheduled += 1;
    const event = { time, number: this.#scheduled, action };
    this.#rise(this.#heap.length, event);
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
    if (last && this.#heap.length > 0) this.#sink(0, last);
  }

  #sweep(): void {
    this.#heap = this.#heap.filter(({ action }) => action);
    this.#cancelled = 0;
    for (let place = this.#heap.length >> 1; place >= 0; place--) {
      const event = this.#heap[place];
      if (event) this.#sink(place, event);
    }
  }

  /** Puts an event in a free place at the end, or above it, where nothing later is above it. */
  #rise(from: number, event: ScheduledEvent): void {
    const heap = this.#heap;
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent];
      if (!above || !isLater(above, event)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = event;
  }

  /** Puts an event in a free place, or below it, where nothing earlier is below it. */
  #sink(from: number, event: ScheduledEvent): void {
    const heap = this.#heap;
    let place = from;
    for (;;) {
      const left = 2 * place + 1;
      const [one, other] = [heap[left], heap[left + 1]];
      if (!one) break;
      const isOther = other !== undefined && isLater(one, other);
      const below = isOther ? other : one;
      if (!isLater(event, below)) break;
      heap[place] = below;
      place = isOther ? left + 1 : left;
    }
    heap[place] = event;
  }
}

function isLater(one: ScheduledEvent, other: ScheduledEvent): boolean {
  return one.time > other.time || (one.time === other.time && one.number > other.number);
}
