import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import PQueue from 'p-queue';
import { isPublicAddress } from './address.js';
import { FetchFailure } from './fetch-failure.js';

export type Lookup = (hostname: string) => Promise<readonly { address: string; family: number }[]>;

/** The resolver of the operating system, `/etc/hosts` included. */
export const osLookup: Lookup = (hostname) => systemLookup(hostname, { all: true });

/** Lookups of learned names at once, at most. */
const LEARNED_LOOKUPS = 2;

/**
 * For names that strangers made known: the resolver of the system holds one of the four threads of Node for as long as a name is
 * not answered for, and files, the store and compression need threads, too.
 */
export function fewAtOnce(lookup: Lookup): Lookup {
  const queue = new PQueue({ concurrency: LEARNED_LOOKUPS });
  return (hostname) => queue.add(() => lookup(hostname));
}

function refused(host: string): FetchFailure {
  const why = `${host} is not on the public internet: learned URLs may lead there only with network.allowPrivate`;
  return new FetchFailure('refused', why);
}

/** Refuses a host that is written as an address, which no lookup would see. @throws FetchFailure */
export function refuseLiteral({ hostname }: URL): void {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw refused(host);
}

async function resolve(lookup: Lookup, host: string, publicOnly: boolean) {
  const unresolved = (cause?: unknown) => {
    throw new FetchFailure('unresolved', `no address found for ${host}`, cause);
  };
  const addresses = (await lookup(host).catch(unresolved)) ?? [];
  if (addresses.length === 0) unresolved();
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
        // With `--no-network-family-autoselection`, Node asks for one.
        if (options.all) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: Error) => callback(error, []),
    );
  };
}
