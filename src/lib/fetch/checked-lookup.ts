import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './address.js';
import { FetchFailure } from './fetch-failure.js';

export type Lookup = (hostname: string) => Promise<readonly { address: string; family: number }[]>;

/** The resolver of the operating system, `/etc/hosts` included. */
export const osLookup: Lookup = (hostname) => systemLookup(hostname, { all: true });

const refused = (host: string) =>
  new FetchFailure(
    'refused',
    `${host} is not on the public internet: learned URLs may lead there only with network.allowPrivate`,
  );

/** Why a socket may not go to this host, when it is written as an address (no lookup would see it). */
export function refusedLiteral(host: string): FetchFailure | undefined {
  return isIP(host) !== 0 && !isPublicAddress(host) ? refused(host) : undefined;
}

async function resolve(lookup: Lookup, host: string, publicOnly: boolean) {
  const addresses = await lookup(host).catch((cause: unknown) => {
    throw new FetchFailure('unresolved', `no address found for ${host}`, cause);
  });
  if (addresses.length === 0) throw new FetchFailure('unresolved', `no address found for ${host}`);
  if (publicOnly && !addresses.every(({ address }) => isPublicAddress(address))) throw refused(host);
  return addresses.map(({ address, family }) => ({ address, family }));
}

/**
 * A lookup for `net.connect`: the socket goes to the very addresses that were checked here, so that a name
 * cannot answer differently in between (DNS rebinding). One refused address refuses the whole name.
 */
export function checkedLookup(lookup: Lookup, publicOnly: boolean): LookupFunction {
  return (host, options, callback) => {
    resolve(lookup, host, publicOnly).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: Error) => callback(error, []),
    );
  };
}
