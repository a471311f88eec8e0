import type { HappeningKind } from '../world/happening.js';
import { MACHINE_FAULTS } from './machines.js';
import { PEER_FAULTS } from './peers.js';
import { POD_FAULTS } from './pods.js';
import { WIRE_FAULTS } from './wires.js';

/** Everything that can go wrong, by name. */
export const FAULTS: readonly HappeningKind[] = [
  ...MACHINE_FAULTS,
  ...WIRE_FAULTS,
  ...POD_FAULTS,
  ...PEER_FAULTS,
];
