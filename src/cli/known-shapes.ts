import * as z from 'zod';
import { canonicalShapes } from '../component/canonical-shape.js';
import type { GuardedFetch } from '../lib/fetch/guarded-fetch.js';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.js';

/** How long somebody who is asked waits for a node that may not be there, in ms. */
const PATIENCE_MS = 3000;
const listing = z.array(z.object({ shapes: z.array(z.string()).optional() }).loose());

/** The shapes of the components at a node, the most frequent first; none when it cannot be asked. */
export async function knownShapes(node: string, fetch: GuardedFetch): Promise<string[]> {
  try {
    const url = `${withoutTrailingSlashes(node)}/component?limit=1000`;
    const answer = await fetch(url, { trust: 'configured', turn: 'none', timeoutMs: PATIENCE_MS });
    if (answer.status !== 200) {
      await answer.discard();
      return [];
    }
    const counts = new Map<string, number>();
    const read = listing.safeParse(JSON.parse(await answer.text()));
    for (const { shapes = [] } of read.success ? read.data : [])
      for (const shape of canonicalShapes(shapes)) counts.set(shape, (counts.get(shape) ?? 0) + 1);
    return [...counts].sort(([, one], [, other]) => other - one).map(([shape]) => shape);
  } catch {
    // The completion is a help: without it, people type.
    return [];
  }
}
