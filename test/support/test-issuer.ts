import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import type { FakeServer } from './fake-server.js';

type Key = Awaited<ReturnType<typeof generateKeyPair>> & { readonly kid: string };

/** An OIDC issuer on a fake server: it publishes its keys, signs what it is asked to, and changes its keys. */
export class TestIssuer {
  /** All that it publishes, newest last. */
  keys: Key[] = [];
  #made = 0;

  constructor(readonly server: FakeServer) {
    server.on('/.well-known/openid-configuration', () => ({
      body: { issuer: this.url, jwks_uri: server.url('/jwks') },
    }));
    server.on('/jwks', async () => ({ body: { keys: await Promise.all(this.keys.map(published)) } }));
  }

  get url(): string {
    return `${this.server.origin}/`;
  }

  /** Signs with a new key from now on, and publishes it alone. */
  async rotate(alg = 'ES256'): Promise<void> {
    this.keys = [];
    await this.add(alg);
  }

  async add(alg: string): Promise<void> {
    const pair = await generateKeyPair(alg, { extractable: true });
    this.keys.push({ ...pair, kid: `key-${++this.#made}` });
  }

  /** Claims that are `undefined` are left out, its own `iss` too. */
  sign(
    claims: Readonly<Record<string, unknown>>,
    { alg = 'ES256', key = this.keys.at(-1) } = {},
  ): Promise<string> {
    if (!key) throw new Error('the issuer has no key yet');
    return new SignJWT({ iss: this.url, ...claims } as JWTPayload)
      .setProtectedHeader({ alg, kid: key.kid })
      .sign(key.privateKey);
  }
}

async function published({ publicKey, kid }: Key): Promise<object> {
  return { ...(await exportJWK(publicKey)), kid, use: 'sig' };
}
