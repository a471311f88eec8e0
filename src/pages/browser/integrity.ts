import { integrityOf } from '../../component/integrity.js';

/** The digest of the module at a URL, as browsers read it. @throws Error when they cannot */
export async function integrityAt(url: string): Promise<string> {
  const answer = await fetch(url, { cache: 'no-store', credentials: 'omit', referrerPolicy: 'no-referrer' });
  if (!answer.ok) throw new Error(`${url} was answered with ${answer.status}`);
  return integrityOf(await answer.arrayBuffer());
}
