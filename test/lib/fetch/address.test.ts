import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../../src/lib/fetch/address.js';

const PUBLIC = [
  '1.1.1.1',
  '93.184.215.14',
  '172.15.255.255',
  '172.32.0.0',
  '100.128.0.0',
  '2606:2800:21f::1',
];

const NOT_PUBLIC = {
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fd00::1', 'fc00::1', 'fec0::1'],
  'link-local and cloud metadata': [
    '169.254.169.254',
    'fe80::1',
    'fd00:ec2::254',
    '168.63.129.16',
    '192.0.0.192',
  ],
  'shared (CGNAT)': ['100.64.0.1', '100.127.255.255', '100.100.100.200'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  'reserved, documentation, benchmarks': [
    '240.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '2001:db8::1',
    '3fff::1',
    '100::1',
    '5f00::1',
  ],
  'IPv4 inside IPv6': [
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::7f00:1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
  ],
  'no plain address': [
    '',
    'localhost',
    '127.1',
    '0x7f000001',
    '2130706433',
    '1.1.1.1.',
    '2606:2800:21f::1%eth0',
    '[::1]',
  ],
};

describe('isPublicAddress', () => {
  it.each(PUBLIC)('lets %s pass', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each(Object.entries(NOT_PUBLIC))('refuses %s', (_, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });
});
