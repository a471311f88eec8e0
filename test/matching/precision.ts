import { type MatchCandidate, Ranking } from '../../src/core/match.js';
import { planMatch } from '../../src/core/match-plan.js';
import { judgedComponents } from './components.js';
import { judgedDocuments } from './documents.js';

/** What the ranking makes of one document. */
export interface Outcome {
  readonly name: string;
  readonly right: readonly string[];
  /** Labels of the first components. */
  readonly first: readonly string[];
}

export interface Precision {
  readonly documents: number;
  readonly components: number;
  /** Shares of the documents: the first component is right, and one of the first three is. */
  readonly atOne: number;
  readonly atThree: number;
  /** Those whose first component is not right. */
  readonly wrong: readonly Outcome[];
}

/** Ranks all judged components for each judged document. */
export async function measurePrecision(): Promise<Precision> {
  const components = await judgedComponents();
  const outcomes = judgedDocuments().map(({ name, question, right }): Outcome => {
    const ranking = new Ranking<MatchCandidate>(planMatch(question));
    for (const component of components) ranking.add(component);
    return {
      name,
      right,
      first: ranking.matches.slice(0, 3).map(({ candidate }) => candidate.metadata.label),
    };
  });
  const share = (isGood: (outcome: Outcome) => boolean) => outcomes.filter(isGood).length / outcomes.length;
  const isRight = ({ right, first: [first = ''] }: Outcome) => right.includes(first);
  return {
    documents: outcomes.length,
    components: components.length,
    atOne: share(isRight),
    atThree: share(({ right, first }) => first.some((one) => right.includes(one))),
    wrong: outcomes.filter((outcome) => !isRight(outcome)),
  };
}
