/** Which addresses of the network are public, and finding one for a name. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Finds all addresses of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Every address that the system knows for a host. Throws what `dns.lookup` throws. */
export const systemResolve: Resolve = async (host) => {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};

/** A host leads to an address that is not public; the message says which. */
export class AddressRefused extends Error {}

/** True for an address that anybody could reach; never for those of this machine, its network or a special use. */
export function isPublic(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}

/**
 * The address to connect to for a host of a URL. It is looked up here and once, so that what is checked is what is
 * used. Throws {@link AddressRefused} when any address of the name is not public.
 */
export async function publicAddress(hostname: string, resolve: Resolve): Promise<string> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) ? [host] : await resolve(host);
  const bad = addresses.find((address) => !isPublic(address));
  if (bad !== undefined) throw new AddressRefused(bad === host ? host : `${host} (${bad})`);
  const [first] = addresses;
  if (first === undefined) throw new Error(`${host} has no address`);
  return first;
}
