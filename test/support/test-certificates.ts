import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tempDir } from './temp-dir.js';

const run = promisify(execFile);
const openssl = (args: readonly string[]) => run('openssl', args);

/** Files in PEM of an authority that nobody else knows, and of a server that it has signed. */
export interface TestCertificates {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** For a server with this name or IP address, as in `DNS:db.example` or `IP:127.0.0.1`; with the program of OpenSSL. */
export async function testCertificates(name: string): Promise<TestCertificates> {
  const folder = await tempDir();
  const at = (file: string) => join(folder, file);
  const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  await openssl([
    ...['req', '-x509', ...fresh, '-subj', '/CN=Authority of the tests'],
    ...['-keyout', at('authority.key'), '-out', at('authority.crt')],
  ]);
  await openssl([
    'req',
    ...fresh.slice(0, -2),
    '-subj',
    '/CN=database',
    '-keyout',
    at('server.key'),
    '-out',
    at('server.csr'),
  ]);
  await writeFile(at('names'), `subjectAltName=${name}\n`);
  await openssl([
    ...['x509', '-req', '-in', at('server.csr'), '-days', '2', '-extfile', at('names'), '-CAcreateserial'],
    ...['-CA', at('authority.crt'), '-CAkey', at('authority.key'), '-out', at('server.crt')],
  ]);
  return { authority: at('authority.crt'), certificate: at('server.crt'), key: at('server.key') };
}
