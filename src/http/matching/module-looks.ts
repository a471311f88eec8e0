import type { Description } from '../../catalog/description.js';
import { hasModule } from '../../component/capability.js';
import { type ModuleState, moduleState } from '../../core/module-health.js';
import type { Pins } from '../../registry/pins.js';
import type { Reports } from '../operations/reports.js';

/** What this node knows of a module by looking at it. */
export interface ModuleLook {
  readonly state: ModuleState;
  /** When it was looked at last, ms since the Unix epoch. */
  readonly at: number | undefined;
  /** Bytes at the last look at which it could be had. */
  readonly size: number | undefined;
  /** Why it could not be had at the last look. */
  readonly error: string | undefined;
}

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
