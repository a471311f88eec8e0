/** Waiting jobs in several queues ("lanes"), which take turns. Within a lane, jobs that may go keep their order. */
export class Lanes<Job, Lane extends string = string> {
  readonly #waiting = new Map<Lane, Job[]>();
  readonly #longest: number;

  /** @param longest jobs that may wait in one lane */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Adds a job at the end of its lane. False when the lane is full. */
  add(lane: Lane, job: Job): boolean {
    const jobs = this.#waiting.get(lane) ?? [];
    if (jobs.length >= this.#longest) return false;
    this.#waiting.set(lane, jobs);
    jobs.push(job);
    return true;
  }

  /** Takes the first job that may go, of the first lane that has one; that lane comes last the next time. */
  next(mayGo: (lane: Lane, job: Job) => boolean): Job | undefined {
    for (const [lane, jobs] of this.#waiting) {
      const job = jobs.find((one) => mayGo(lane, one));
      if (!job) continue;
      const left = jobs.filter((other) => other !== job);
      this.#waiting.delete(lane);
      if (left.length > 0) this.#waiting.set(lane, left);
      return job;
    }
    return undefined;
  }

  /** How many jobs wait in a lane. */
  waiting(lane: Lane): number {
    return this.#waiting.get(lane)?.length ?? 0;
  }

  remove(lane: Lane, job: Job): void {
    const jobs = this.#waiting.get(lane)?.filter((other) => other !== job) ?? [];
    if (jobs.length > 0) this.#waiting.set(lane, jobs);
    else this.#waiting.delete(lane);
  }
}
