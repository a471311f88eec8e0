import { describe, expect, it } from 'vitest';
import { firstHop, nextHop, redirectTarget } from '../../../src/lib/fetch/hop.js';

const refused = expect.objectContaining({ reason: 'refused' });

describe('firstHop', () => {
  it.each([
    'ftp://pod.test/',
    'file:///etc/passwd',
    'data:,x',
    'javascript:1',
    'pod.test',
    '',
    'http://[fe80::1%25eth0]/',
  ])('refuses %s', (url) => {
    expect(() => firstHop(url, 'configured')).toThrow(refused);
  });

  it('refuses user info, and does not repeat the password', () => {
    expect(() => firstHop('https://me:hunter2@pod.test/', 'configured')).toThrow(refused);
    expect(() => firstHop('https://me:hunter2@pod.test/', 'configured')).not.toThrow(/hunter2/);
  });

  it('asks without the fragment', () => {
    expect(firstHop('https://pod.test/card#me', 'learned').url.href).toBe('https://pod.test/card');
  });
});

describe('nextHop', () => {
  const configured = firstHop('https://pod.test/a/', 'configured');

  it('keeps trust and credentials on the same origin', () => {
    const hop = nextHop(configured, '../b#c', true);
    expect(hop).toMatchObject({ trust: 'configured', atHome: true });
    expect(hop.url.href).toBe('https://pod.test/b');
  });

  it.each(['https://other.test/', 'https://pod.test:8443/', 'http://pod.test/', '//127.0.0.1/'])(
    'takes both away on the way to %s, for good',
    (location) => {
      const away = nextHop(configured, location, false);
      expect(away).toMatchObject({ trust: 'learned', atHome: false });
      const upgraded = { ...away, url: new URL('https://other.test/') };
      expect(nextHop(upgraded, 'https://pod.test/', false)).toMatchObject({
        trust: 'learned',
        atHome: false,
      });
    },
  );

  it('refuses to leave https when learned or with credentials', () => {
    expect(() => nextHop(configured, 'http://pod.test/', true)).toThrow(refused);
    expect(() => nextHop(firstHop('https://pod.test/', 'learned'), 'http://pod.test/', false)).toThrow(
      refused,
    );
  });

  it.each(['ftp://pod.test/', 'https://me:pw@pod.test/', 'http://', 'javascript:1'])(
    'refuses to go to %s',
    (to) => {
      expect(() => nextHop(configured, to, false)).toThrow(refused);
    },
  );
});

describe('redirectTarget', () => {
  const headers = new Headers({ location: '/b' });

  it('knows redirects from answers', () => {
    const statuses = [200, 201, 300, 301, 302, 303, 304, 305, 307, 308, 404];
    const redirects = statuses.filter((status) => redirectTarget(status, headers) === '/b');
    expect(redirects).toEqual([301, 302, 303, 307, 308]);
  });

  it('takes a redirect to nowhere for an answer', () => {
    expect(redirectTarget(302, new Headers())).toBeUndefined();
  });
});
