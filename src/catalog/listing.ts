import { grouped } from '../lib/grouped.js';
import { lowerBound } from '../lib/lower-bound.js';
import type { Breather } from '../lib/pace.js';
import { type Edits, edited, itemOf, placeBehind, uriOf } from './edited.js';
import type { Component } from './entry.js';
import { type Run, RunWriter } from './run.js';

/** What is served, in the order of uris, in runs. Never changed: `changed` makes another listing, which shares the runs that stay. */
export class Listing {
  readonly runs: readonly Run[];
  readonly size: number;

  constructor(runs: readonly Run[]) {
    this.runs = runs;
    this.size = runs.reduce((sum, { components }) => sum + components.length, 0);
  }

  get(uri: string): Component | undefined {
    return itemOf(this.runs[this.#numberFor(uri)]?.components ?? [], uri);
  }

  /** The components whose uris are greater than `after`; all of them without it. */
  *from(after = ''): Generator<Component> {
    for (let number = this.#numberFor(after); number < this.runs.length; number++) {
      const { components } = this.runs[number] as Run;
      for (let at = placeBehind(components, after); at < components.length; at++)
        yield components[at] as Component;
    }
  }

  /** The listing as these edits leave it. Gives way to other work. */
  async changed(edits: Edits<Component>, breathe: Breather): Promise<Listing> {
    const byRun = grouped(edits, ([uri]) => this.#numberFor(uri));
    const writer = new RunWriter();
    for (let number = 0; number === 0 || number < this.runs.length; number++) {
      const run = this.runs[number];
      const some = byRun.get(number);
      if (run && !some && !writer.isSmall) writer.take(run);
      else
        for (const component of await edited(run?.components ?? [], uriOf, some ?? [], breathe)) {
          writer.add(component);
          await breathe();
        }
    }
    writer.end();
    return new Listing(writer.runs);
  }

  /** The number of the run where this uri stands, or would. */
  #numberFor(uri: string): number {
    return Math.max(lowerBound(this.runs, ({ firstUri }) => firstUri > uri) - 1, 0);
  }
}
