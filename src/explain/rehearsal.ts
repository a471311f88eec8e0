import type { Catalog } from '../catalog/catalog.js';
import type { Description } from '../catalog/description.js';
import type { Field } from '../component/fields.js';
import { differingFields, type Metadata } from '../component/metadata.js';
import type { ListedAddress } from '../component/network-list.js';
import { type Source, type SourceKind, sameSource } from '../component/source.js';
import { compareStandings } from '../core/precedence.js';
import type { Refusals } from '../core/refusal.js';
import type { Pace } from '../lib/pace.js';
import type { SourceStatus } from './source-status.js';
import { whyShadowed } from './why.js';

/** How many there are, and the first of them. */
export interface Counted<T> {
  readonly count: number;
  readonly examples: readonly T[];
}

const NAMED = 100;

export class Counting<T> implements Counted<T> {
  count = 0;
  readonly examples: T[] = [];

  constructor(items: Iterable<T> = []) {
    for (const item of items) this.add(item);
  }

  add(item: T): void {
    this.count += 1;
    if (this.examples.length < NAMED) this.examples.push(item);
  }
}

export type Rehearsed = Pick<Metadata, 'uri' | 'label' | 'version'>;

/** A component that another source describes, too: of those that describe it now, the first. */
export interface ContestedComponent extends Rehearsed {
  readonly source: Source;
  /** By which rule one of the two descriptions would be served, for people. */
  readonly because: string;
}

/** What trusting a pod or a peer would lead to (design, section 15). Nothing of it has happened. */
export interface Rehearsal extends Pick<SourceStatus, 'url' | 'private' | 'components' | 'documents'> {
  readonly kind: Exclude<SourceKind, 'local' | 'sample'>;
  readonly known?: 'configured' | 'learned';
  /** Why it could not be read, or not all of it; what could be read is told nevertheless. */
  readonly error?: string;
  /** Of a source with more components, so many were looked at; `refuses.omitted` counts the others, too. */
  readonly lookedAt?: number;
  readonly effects: Effects;
  readonly refuses: Pick<SourceStatus, 'omitted'> & {
    readonly invalid: Counted<SourceStatus['invalid'][number]>;
    readonly documents: Counted<Pick<SourceStatus['failing'][number], 'url' | 'error'>>;
    /** Pods whose documents are not taken of a peer: the operator denies them, or this node reads them itself. */
    readonly pods: Counted<{ readonly url: string; readonly isDenied: boolean }>;
  };
  /** Whom it would make known; of the addresses that it tells of, those that would not be read. */
  readonly introduces: {
    readonly peers: Counted<Pick<ListedAddress, 'url' | 'hops'>>;
    readonly pods: Counted<Pick<ListedAddress, 'url' | 'hops'>>;
    readonly refused: Refusals;
  };
}

/** Is there nothing that an operator should look at before the source is trusted? */
export function isHarmless({ error, effects, refuses }: Rehearsal): boolean {
  const { invalid, documents, omitted } = refuses;
  const remarkable = effects.changes.count + effects.hides.count + invalid.count + documents.count;
  return error === undefined && omitted === undefined && remarkable === 0;
}

interface EffectParts {
  readonly source: Source;
  /** What the source says, each component once, in the place that it would have. */
  readonly rehearsed: AsyncIterable<Description>;
  /** What the node has now. It is only read. */
  readonly current: Pick<Catalog, 'statements'>;
  readonly pace: Pace;
}

type Effects = Awaited<ReturnType<typeof effectsOf>>;

/** What a source would do to the components that are served. */
export async function effectsOf({ rehearsed, current, pace, source }: EffectParts) {
  const effects = {
    /** Nobody describes these here. */
    adds: new Counting<Rehearsed>(),
    /** For these the operator would answer, and does not now. */
    trusts: new Counting<Rehearsed>(),
    /** Of these something else would be served; `fields` would differ. */
    changes: new Counting<Rehearsed & { fields: readonly Field[] }>(),
    /** Of these it would be served instead of that source, whether or not it says the same. */
    hides: new Counting<ContestedComponent>(),
    /** Of these that source goes on to be served, because it comes first. */
    shadowed: new Counting<ContestedComponent>(),
    /** Of so many it is served already, as it describes them. */
    unchanged: 0,
  };
  const breathe = pace();
  for await (const description of rehearsed) {
    await breathe();
    const { uri, label, version } = description.metadata;
    const component: Rehearsed = { uri, label, version };
    const statements = await current.statements(uri);
    const [served] = statements;
    const other = statements.find((one) => !sameSource(one.source, source));
    const isFirst = !other || compareStandings(description, other) < 0;
    if (isFirst && description.trust !== 'learned' && (!served || served.trust === 'learned'))
      effects.trusts.add(component);
    if (!served) {
      effects.adds.add(component);
      continue;
    }
    if (other && !isFirst) {
      const because = whyShadowed(description, other);
      effects.shadowed.add({ ...component, source: other.source, because });
      continue;
    }
    if (other && other === served)
      effects.hides.add({ ...component, source: other.source, because: whyShadowed(other, description) });
    const fields = differingFields(description.metadata, served.metadata);
    if (fields.length > 0) effects.changes.add({ ...component, fields });
    else if (other !== served) effects.unchanged += 1;
  }
  return effects;
}
