import type { Child } from 'hono/jsx';
import type { Description } from '../../catalog/description.js';
import { hasModule } from '../../component/capability.js';
import { type ModuleState, moduleState } from '../../core/module-health.js';
import type { Reports } from '../../http/operations/reports.js';
import type { Pins } from '../../registry/pins.js';
import { term } from '../shell/component-words.js';
import { time } from '../shell/fragments.js';
import { icon, type Look } from '../shell/source-look.js';

export interface ModuleLookParts {
  readonly pins: Pick<Pins, 'get'>;
  readonly reports: Pick<Reports, 'moduleFailure'>;
}

export type ModuleLook = NonNullable<Awaited<ReturnType<typeof moduleLook>>>;

/** What this node knows of a module by looking at it. Undefined for what has none, and for what comes with this software. */
export async function moduleLook({ metadata, source, pin }: Description, { pins, reports }: ModuleLookParts) {
  if (source.kind === 'sample' || !hasModule(metadata.capability)) return undefined;
  const failing = reports.moduleFailure(metadata.uri);
  // Without a pin, what was seen was described by somebody else.
  const [seen] = pin ? await pins.get([metadata]) : [];
  return {
    state: moduleState(pin, failing),
    /** When it was looked at last, ms since the Unix epoch. */
    at: failing?.at ?? seen?.checked,
    /** Bytes at the last look at which it could be had. */
    size: seen?.size,
    /** Why it could not be had at the last look. */
    error: failing?.error,
  };
}

const STATES: Readonly<Record<ModuleState, readonly [look: Look, words: Child]>> = {
  reachable: ['ok', ['module reachable, bytes as ', term('pinned')]],
  missed: ['attention', 'module not reachable at the last look'],
  dead: ['failing', 'module cannot be had'],
  changed: ['failing', ['module has other bytes than ', term('pinned')]],
  unknown: ['known', 'module not looked at'],
};

/** A module in a few words: is it there, are its bytes those that are pinned, how large is it, when was that seen? */
export function moduleWords({ state, at, size, error }: ModuleLook): Child {
  const [look, words] = STATES[state];
  return [
    <span class={look}>{[icon(look), ' ', words]}</span>,
    state === 'dead' && error && `: ${error}`,
    size !== undefined && `, ${(size / 1000).toFixed(1)} kB`,
    at !== undefined && [', looked at ', time(at)],
  ];
}
