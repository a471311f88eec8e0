import { sharedServer } from '../shared-server.js';
import { Pod } from './pod.js';

/** The pod that test files share, each in containers of its own. Starts its server if it does not run yet, which takes seconds. */
export async function sharedPod(): Promise<Pod> {
  return new Pod(JSON.parse(await sharedServer('pod')));
}
