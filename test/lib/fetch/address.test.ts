import { expect, it } from 'vitest';
import { isPublicAddress } from '../../../src/lib/fetch/address.js';

const ADDRESSES: readonly (readonly [kind: string, isPublic: boolean, addresses: string])[] = [
  ['of the internet', true, '1.1.1.1 93.184.215.14 172.15.255.255 172.32.0.0 100.128.0.0 2606:2800:21f::1'],
  ['loopback', false, '127.0.0.1 127.255.255.254 ::1'],
  ['unspecified', false, '0.0.0.0 0.1.2.3 ::'],
  ['private', false, '10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 fd00::1 fc00::1 fec0::1'],
  [
    'link-local, metadata of clouds',
    false,
    '169.254.169.254 fe80::1 fd00:ec2::254 168.63.129.16 192.0.0.192',
  ],
  ['shared (CGNAT)', false, '100.64.0.1 100.127.255.255 100.100.100.200'],
  ['multicast', false, '224.0.0.1 239.255.255.255 ff02::1'],
  ['reserved', false, '240.0.0.1 255.255.255.255 100::1 5f00::1'],
  ['for documents', false, '192.0.2.1 198.51.100.1 203.0.113.1 2001:db8::1 3fff::1'],
  ['for benchmarks', false, '198.18.0.1'],
  ['IPv4 in IPv6, mapped', false, '::ffff:127.0.0.1 ::ffff:8.8.8.8 ::127.0.0.1 ::ffff:0:127.0.0.1'],
  ['IPv4 in IPv6, elsewhere', false, '64:ff9b::7f00:1 64:ff9b:1::7f00:1 2002:7f00:1:: 2001:0:7f00:1::'],
  ['not plain', false, 'localhost 127.1 0x7f000001 2130706433 1.1.1.1. 2606:2800:21f::1%eth0 [::1]'],
  ['empty', false, ''],
];

it.each(ADDRESSES)('an address that is %s is public: %s', (_, isPublic, addresses) => {
  const all = addresses.split(' ');
  expect(all.filter(isPublicAddress)).toEqual(isPublic ? all : []);
});
