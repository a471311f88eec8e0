import type { NodeProcess } from './processes.js';
import { sampleComponent } from './sample-data.js';

let changes = 0;

/** Says something new of the first so many components. */
export async function change(node: NodeProcess, count: number): Promise<void> {
  changes += 1;
  const components = Array.from({ length: count }, (_, i) => ({
    ...sampleComponent(i),
    author: [`https://author-${changes}.example/profile/card#me`],
  }));
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(components);
  const answer = await fetch(`${node.url}/component`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`the change was answered ${answer.status}: ${await answer.text()}`);
  await answer.text();
}
