import { expect, test } from 'vitest';
import { npmPackageOf } from '../../src/component/npm-package.js';

test.each([
  ['https://unpkg.com/@ann/card@1.2.3/dist/card.js', '@ann/card', '1.2.3', 'unpkg.com'],
  ['https://unpkg.com/card@1.2.3-beta.1/card.js?module', 'card', '1.2.3-beta.1', 'unpkg.com'],
  ['https://cdn.jsdelivr.net/npm/@ann/card@1.2.3/+esm', '@ann/card', '1.2.3', 'cdn.jsdelivr.net'],
  ['https://esm.sh/card@1.2.3', 'card', '1.2.3', 'esm.sh'],
])('%s lies in a package', (uri, name, version, cdn) => {
  expect(npmPackageOf(uri)).toEqual({ name, version, cdn });
});

test.each([
  ['another version may come', 'https://unpkg.com/card@1/card.js'],
  ['another version may come', 'https://unpkg.com/card@^1.2.3/card.js'],
  ['another version may come', 'https://unpkg.com/card@latest/card.js'],
  ['another version may come', 'https://unpkg.com/card/card.js'],
  ['the version is not written as npm writes it', 'https://unpkg.com/card@v1.2.3/card.js'],
  ['the host serves files of other kinds there', 'https://cdn.jsdelivr.net/gh/ann/card@1.2.3/card.js'],
  ['the host is another one', 'https://unpkg.com.evil.example/card@1.2.3/card.js'],
  ['the host is a name before the host', 'https://unpkg.com@evil.example/card@1.2.3/card.js'],
  ['the port is another one', 'https://unpkg.com:8443/card@1.2.3/card.js'],
  ['nobody proves the host', 'http://unpkg.com/card@1.2.3/card.js'],
  ['a part of the path is no package', 'https://unpkg.com/x/y/card@1.2.3/card.js'],
  ['the name is none', 'https://unpkg.com/%3Cimg%20src=x%3E@1.2.3/card.js'],
  ['the name is none', 'https://unpkg.com/../@1.2.3/card.js'],
  ['it is no address', 'urn:card@1.2.3'],
])('none is named where %s: %s', (_, uri) => expect(npmPackageOf(uri)).toBeUndefined());
