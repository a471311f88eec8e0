import type { Description } from '../../catalog/description.js';
import { hasModule } from '../../component/capability.js';
import { moduleState } from '../../core/module-health.js';
import type { Pins } from '../../registry/pins.js';
import type { ModuleLook } from '../../web/module-words.js';
import type { Reports } from '../operations/reports.js';

export interface ModuleLooksParts {
  readonly pins: Pick<Pins, 'get'>;
  readonly reports: Pick<Reports, 'moduleFailure'>;
}

/**
 * What is known of the modules of served descriptions, each at the index of its description. Undefined for what has none, and for
 * what comes with this software.
 */
export async function moduleLooks(
  descriptions: readonly Description[],
  { pins, reports }: ModuleLooksParts,
): Promise<(ModuleLook | undefined)[]> {
  const read = descriptions.map(({ metadata }) => metadata);
  const seen = await pins.get(read);
  return descriptions.map(({ source, pin }, i) => {
    const metadata = read[i];
    if (!metadata || source.kind === 'sample' || !hasModule(metadata.capability)) return undefined;
    const failing = reports.moduleFailure(metadata.uri);
    const state = moduleState(pin, failing);
    // Without a pin, what was seen was described by somebody else.
    const { checked, size } = (pin && seen[i]) ?? {};
    return { state, at: failing?.at ?? checked, size, error: failing?.error };
  });
}
