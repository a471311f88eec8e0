import { startService, type TestService } from '../acceptance/adapters/connection-app.js';
import { type FakeServer, fakeServer } from './fake-server.js';
import { TestIssuer } from './test-issuer.js';

/** A connection service that trusts one issuer, and the server that this issuer is on. */
export interface Trusting {
  readonly node: TestService;
  readonly server: FakeServer;
  readonly issuer: TestIssuer;
}

/** Starts both; the issuer has a key already. */
export async function startTrusting(): Promise<Trusting> {
  const server = await fakeServer();
  const issuer = new TestIssuer(server);
  await issuer.rotate();
  return { server, issuer, node: await startService({ issuers: [server.origin] }) };
}

/** What a token opens: the status, and, when it is refused, the challenge. */
export async function whatOpens(
  node: TestService,
  token: string | null,
): Promise<{ status: number; challenge: string | null; text: string }> {
  const { status, headers, text } = await node.send('/connection/', { token });
  return { status, challenge: headers.get('www-authenticate'), text };
}

/** The time of the service, as tokens count it. */
export const secondsOf = (node: TestService) => Math.floor(node.time.now / 1000);

/** A part of a token that somebody writes by hand. */
export const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
