import { explain } from '../../lib/faults.js';
import { KeepUnusable } from '../faults.js';
import { codeOf } from './failure.js';

const UNTRUSTED =
  "the server's certificate is signed by nobody that this machine trusts: name the authority with ?sslmode=verify-full&sslrootcert=<file>";

/** What operators meet when they set a database up, by code (PostgreSQL, appendix A), and what to do about it. */
const ADVICE: Readonly<Record<string, string>> = {
  '28P01': 'the password is wrong: correct it in REGISTRY_STORE_URL (special characters are percent-encoded)',
  '28000':
    'the server does not let this user in from here: see its pg_hba.conf, and whether it asks for TLS (?sslmode=verify-full)',
  '3D000': 'there is no such database: createdb makes one',
  '42501':
    'the user may not make tables there: GRANT CREATE ON DATABASE … TO …, or make the user the owner of the database',
  '53300':
    'the server has no connection left: raise its max_connections, or lower store.connections of the nodes',
  ECONNREFUSED: 'nothing listens there: is the server running, and is this its port?',
  ENOTFOUND: 'there is no host of this name',
  EAI_AGAIN: 'the name of the host cannot be looked up at present',
  ENOENT:
    'there is no such socket or file: is the server running, and are the files that the URL names there?',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate is for another host name than the URL has",
  CERT_HAS_EXPIRED: "the server's certificate has expired",
};

/** The error of a database that cannot be used, in a sentence for the operator. */
export function unusableDatabase(described: string, error: unknown): KeepUnusable {
  if (error instanceof KeepUnusable) return error;
  const said = explain(error);
  const known = codesOf(error).flatMap((code) => ADVICE[code] ?? [])[0];
  const tls = /does not support SSL/i.test(said)
    ? 'the server has no TLS: switch it on, or take sslmode out of the URL'
    : undefined;
  const advice = known ?? tls;
  const why = advice === undefined ? said : `${advice} (${said})`;
  return new KeepUnusable(`The database ${described} cannot be used: ${why}`, { cause: error });
}

/** Of the error and its causes. */
function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  for (let at: unknown = error; at instanceof Error; at = at.cause) codes.push(...[codeOf(at) ?? []].flat());
  return codes;
}
