import type { Resource } from '../../lib/http/resource.js';
import { entityAnswer } from '../http/entity.js';
import type { RouteParts } from '../route-parts.js';
import { COORDINATOR_HEADERS, coordinatorPage } from './coordinator-page.js';

/** `/invites`: the page for those who invite, and `/invites/purposes`: the purposes that the operator has given names. */
export function coordinatorRoutes({ node, mount, purposes, authorised }: RouteParts): Resource[] {
  const named = Object.entries(purposes).map(([iri, said]) => ({ iri, ...said }));
  return [
    {
      path: '/invites',
      methods: {
        GET: () => ({ status: 200, headers: COORDINATOR_HEADERS, body: coordinatorPage(node(), mount.path) }),
      },
    },
    {
      path: '/invites/purposes',
      methods: { GET: authorised(['read', 'invite'], () => entityAnswer(200, named)) },
    },
  ];
}
