import { withoutPause } from '../../src/lib/pace.js';
import { packed, unpacked } from '../../src/lib/pool/packed.js';
import { inProcess, type TaskPool } from '../../src/lib/pool/task.js';

/** Runs tasks where it is asked, and hands their results over as threads do. */
export const packedPool: TaskPool = {
  run: async (task, input, options) =>
    unpacked(packed(await inProcess.run(task, input, options), 80), withoutPause()),
};
