import type { Phase } from '../simulation.js';

/** Processor time that the phases of a simulation took, that of the garbage collector's threads included. */
export class Effort {
  readonly #seconds = new Map<Phase, number>();
  #before = process.cpuUsage();

  ended(phase: Phase): void {
    const { user, system } = process.cpuUsage(this.#before);
    this.#before = process.cpuUsage();
    this.#seconds.set(phase, (user + system) / 1_000_000);
  }

  /** By phase. */
  get seconds(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#seconds);
  }

  get text(): string {
    const phases = [...this.#seconds].map(([phase, seconds]) => `${phase} ${seconds.toFixed(1)} s`);
    return `processor time: ${phases.join(', ')}`;
  }
}
