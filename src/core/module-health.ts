import { isChanged, type Pin } from '../component/pin.js';

/** A module that could not be had lately. */
export interface FailingModule {
  readonly uri: string;
  readonly error: string;
  /** Of the last try, ms since the Unix epoch. */
  readonly at: number;
  /** Tries, one after the other, that failed. */
  readonly failures: number;
}

/** `missed`: not there at the last look. `dead`: again and again, or never there. `unknown`: nobody looked. */
export type ModuleState = 'reachable' | 'missed' | 'dead' | 'changed' | 'unknown';

/** Failures after which a module that was there counts as dead: between two tries is an hour at least. */
const DEAD_AFTER = 2;

/** @param pin of the statement that is served. @param failing when the last looks at the module failed */
export function moduleState(pin: Pin | undefined, failing: FailingModule | undefined): ModuleState {
  if (isChanged(pin)) return 'changed';
  if (failing) return pin && failing.failures < DEAD_AFTER ? 'missed' : 'dead';
  return pin ? 'reachable' : 'unknown';
}
