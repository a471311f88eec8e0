import type { Description } from '../catalog/description.js';
import { sameSource } from '../component/source.js';
import { type Facts, factsOf } from '../explain/facts.js';
import type { VersionGroup } from '../http/versions/version-groups.js';
import type { Pins } from '../registry/pins.js';
import type { Registry } from '../registry/registry.js';

export interface FactSources {
  readonly registry: Registry;
  readonly pins: Pick<Pins, 'get'>;
}

/**
 * What the node knows by itself of a component.
 *
 * @param statements every description, the served one first
 * @param namesakes the other components of its name
 */
export async function findFacts(
  statements: readonly [Description, ...Description[]],
  namesakes: readonly VersionGroup[],
  { registry, pins, baseUrl }: FactSources & { readonly baseUrl: string },
): Promise<Facts> {
  const [{ metadata, source }] = statements;
  const [seen] = await pins.get([metadata]);
  const stored = (await registry.sources()).find((one) => sameSource(one.source, source));
  const elsewhere = namesakes.filter(({ head }) => !sameSource(head.source, source));
  return factsOf({
    statements,
    seen,
    sourceFirstRead: stored?.record.firstSuccess,
    sameName: elsewhere.length,
    baseUrl,
  });
}
