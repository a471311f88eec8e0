import { attempt, byId, say } from '../../browser/element.js';
import { askOwnNode, type Description } from './own-node.js';

/** Bytes of all manifests together. */
const MAX_BYTES = 900_000;

interface Described {
  readonly component: Description;
  readonly notes: readonly string[];
}

/** Lets the visitor choose manifests; `described` gets what the node makes of them. */
export function readManifests(described: (component: Description) => void): void {
  const input = byId<HTMLInputElement>('files');
  /** Manifests that have been given one after the other belong together. */
  const given: Record<string, string> = {};
  const read = async () => {
    const chosen = [...(input.files ?? [])];
    if (chosen.reduce((sum, { size }) => sum + size, 0) > MAX_BYTES)
      throw new Error(`these are more than ${MAX_BYTES} bytes: choose the manifests alone`);
    for (const file of chosen) given[file.name] = await file.text();
    say('manifest', 'Reading …');
    const { component, notes } = await askOwnNode<Described>('/publish/describe', { files: given });
    described(component);
    say('manifest', ['Filled in below.', ...notes].join(' '));
  };
  input.addEventListener('change', () => attempt('manifest', read));
}
