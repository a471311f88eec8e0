import { cleanup } from '../cleanup.js';
import { tempDir } from '../temp-dir.js';
import { PodServer } from './pod-server.js';

/** Starts a pod server that ends with the tests. It takes a second or two, and the first time five more. */
export async function startPodServer({ pods }: { pods: readonly string[] }): Promise<PodServer> {
  const server = new PodServer(await tempDir());
  cleanup(() => server.kill());
  await server.start(pods);
  return server;
}
