import { counted } from '../../lib/counted.js';
import { Problem } from '../../lib/http/problem.js';
import type { Handler } from '../../lib/http/resource.js';
import { forgetPins, type Pins } from '../../registry/pins.js';
import { type OperatorParts, requireOperator } from '../access/operator.js';

/**
 * `DELETE /pins?uri=<uri>`: the operator has the node forget what it has seen of a component's module, of all versions or of
 * `version`. What is there at the next look counts as the first bytes then.
 */
export function deletePins(pins: Pins, { operatorToken, audit }: OperatorParts): Handler {
  return async ({ req }) => {
    requireOperator(req.raw, operatorToken);
    const [uri, version] = [req.query('uri'), req.query('version')];
    if (uri === undefined) throw new Problem(400, 'Name the component: DELETE /pins?uri=<uri>');
    const forgotten = await forgetPins(pins, uri, version);
    if (forgotten === 0) throw new Problem(404, `Nothing has been seen of the module ${JSON.stringify(uri)}`);
    audit({ who: 'operator', what: `forgot ${counted(forgotten, 'pin')}`, subjects: [uri] });
    return { status: 204 };
  };
}
