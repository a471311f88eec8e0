import type { Catalog } from '../catalog/catalog.js';
import type { Description } from '../catalog/description.js';
import { differingFields } from '../component/metadata.js';
import { type Source, sourceKey } from '../component/source.js';
import { compareStandings } from '../core/precedence.js';
import type { Pace } from '../lib/pace.js';
import {
  type ChangedComponent,
  type ContestedComponent,
  Counting,
  type Effects,
  type Rehearsed,
} from './rehearsal.js';
import { whyShadowed } from './why.js';

export interface EffectParts {
  readonly source: Source;
  /** What the source says, each component once, in the place that it would have. */
  readonly rehearsed: AsyncIterable<Description>;
  /** What the node has now. */
  readonly current: Pick<Catalog, 'statements'>;
  readonly pace: Pace;
}

/** Compares what a source says with what is served now. Reads the catalog and changes nothing. */
export async function effectsOf({ rehearsed, current, pace, source }: EffectParts): Promise<Effects> {
  const effects = noEffects();
  const breathe = pace();
  for await (const description of rehearsed) {
    note(effects, description, await current.statements(description.metadata.uri), source);
    await breathe();
  }
  return effects;
}

function noEffects() {
  return {
    adds: new Counting<Rehearsed>(),
    trusts: new Counting<Rehearsed>(),
    changes: new Counting<ChangedComponent>(),
    hides: new Counting<ContestedComponent>(),
    shadowed: new Counting<ContestedComponent>(),
    unchanged: 0,
  };
}

/** @param statements what the node has of the same component, what is served first */
function note(
  effects: ReturnType<typeof noEffects>,
  rehearsed: Description,
  statements: readonly Description[],
  source: Source,
): void {
  const { metadata } = rehearsed;
  const { uri, label, version } = metadata;
  const component: Rehearsed = { uri, label, version };
  const [served] = statements;
  const other = statements.find((one) => sourceKey(one.source) !== sourceKey(source));
  const isFirst = !other || compareStandings(rehearsed, other) < 0;
  if (isFirst && rehearsed.trust !== 'learned' && (served?.trust ?? 'learned') === 'learned') {
    effects.trusts.add(component);
  }
  if (!served) {
    effects.adds.add(component);
  } else if (other && !isFirst) {
    const because = whyShadowed(rehearsed, other);
    effects.shadowed.add({ ...component, source: other.source, winner: other.source, because });
  } else {
    if (other && other === served) {
      const because = whyShadowed(other, rehearsed);
      effects.hides.add({ ...component, source: other.source, winner: rehearsed.source, because });
    }
    const fields = differingFields(metadata, served.metadata);
    if (fields.length > 0) effects.changes.add({ ...component, fields });
    else if (other !== served) effects.unchanged += 1;
  }
}
