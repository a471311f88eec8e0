import type { Config } from '../../config.js';
import { Problem } from '../../lib/http/problem.js';
import type { RouteContext } from '../../lib/http/resource.js';
import { bearerToken, sameSecret } from '../../lib/secret.js';
import { refuseOtherSites } from './own-origin.js';

const HOW_TO_SET =
  'This node has no operator token. Its operator can set one with the environment variable REGISTRY_OPERATOR_TOKEN';

/** @throws Problem unless the request carries the operator token: 401 when it has none, 403 when a wrong one */
export function requireOperator(request: Request, operatorToken: string | undefined): void {
  if (!operatorToken) throw new Problem(403, HOW_TO_SET);
  const token = bearerToken(request.headers.get('authorization'));
  if (token === undefined) {
    throw new Problem(401, 'Send the operator token as Authorization: Bearer <token>', {
      headers: { 'www-authenticate': 'Bearer realm="component registry"' },
    });
  }
  if (!sameSecret(token, operatorToken))
    throw new Problem(403, 'This is not the operator token of this node');
}

/** @throws Problem unless this request may change the node's own descriptions */
export function requireWriter(
  request: Request,
  config: Pick<Config, 'write' | 'operatorToken' | 'baseUrl'>,
): void {
  if (config.write === 'open') refuseOtherSites(request, config);
  else requireOperator(request, config.operatorToken);
}

export function isOperator(request: Request, operatorToken: string | undefined): boolean {
  const token = bearerToken(request.headers.get('authorization'));
  return operatorToken !== undefined && token !== undefined && sameSecret(token, operatorToken);
}

/** Who has written, for the log, once `requireWriter` has let them. */
export function writerOf(
  { req, client = 'an unknown address' }: RouteContext,
  { operatorToken }: Pick<Config, 'operatorToken'>,
): string {
  return isOperator(req.raw, operatorToken) ? 'operator' : `anybody at ${client}`;
}

/** Does the node have write endpoints at all? */
export function isWritable({ write, mode }: Pick<Config, 'write' | 'mode'>): boolean {
  return write !== 'off' && mode === 'registry';
}
