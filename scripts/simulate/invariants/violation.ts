/** A rule that every network keeps, and that this one has broken. */
export class Violation extends Error {
  override readonly name = 'Violation';

  /** `elapsed`: ms since the simulation began. */
  constructor(
    readonly rule: Rule,
    readonly elapsed: number,
    message: string,
  ) {
    super(message);
  }
}

/** What holds in every network, whatever happens in it. */
export const RULES = {
  answers: 'every node answers what its trust and the authorities imply',
  zombies: 'nothing that its author has deleted is held anywhere after the bound',
  idle: 'idle rounds move no bodies',
  revisions: 'no revision moves without a change',
  private: 'nothing private is dialled',
  memory: 'a node holds no more than follows from whom it knows',
  kept: 'what a source has said stays until it says otherwise, whatever fails meanwhile',
  order: 'of two readings of a source, the later one stays',
  history: 'what a database has lost is not told any more',
  repairs: 'peers are read anew only where something has gone wrong, and a few times for each',
  forged: 'nobody speaks for a pod that a node reads itself',
} as const;

export type Rule = keyof typeof RULES;
