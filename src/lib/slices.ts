import { type Breather, systemPace } from './pace.js';

export type { Breather } from './pace.js';

/** To be replaced by a pace that is handed in. */
export const breather = (sliceMs?: number): Breather => systemPace(sliceMs);
