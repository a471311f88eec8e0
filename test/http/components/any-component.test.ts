import fc from 'fast-check';
import { expect, it } from 'vitest';
import { meantUris } from '../../../src/http/components/component-uri.js';
import { moduleUrl } from '../../support/arbitrary.js';

it('what an address means always has the uri, raw or encoded', () => {
  const at = (path: string) => meantUris(`https://node.example/c/${path}`);
  fc.assert(
    fc.property(moduleUrl, (uri) => {
      expect(at(encodeURIComponent(uri))).toContain(uri);
      expect(at(uri)[0]).toBe(uri.replace(/^(https?):\/+/i, '$1://'));
    }),
  );
});
