import { Problem } from '../../lib/http/problem.js';
import type { Handler } from '../../lib/http/resource.js';
import type { Health } from '../../registry/health.js';

/** Answers 503 while the node is loading: clients would take an empty list for the truth. */
export function whenLoaded(health: () => Health): (handler: Handler) => Handler {
  return (handler) => (c) => {
    if (health() !== 'loading') return handler(c);
    throw new Problem(503, 'This node is loading its data; try again in a moment', {
      headers: { 'retry-after': '2' },
    });
  };
}
