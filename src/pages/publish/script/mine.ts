import { byId, element } from '../../browser/element.js';
import { askOwnNode } from './own-node.js';

/** A component of the visitor's, as this node knows it. */
export interface Known {
  readonly document: string;
  readonly uri: string;
  readonly label: string;
  readonly version?: string;
}

/** What can be done with a component that is published already. */
export type Action = (known: Known) => void;

interface Container {
  readonly documents: readonly { document: string; descriptions: readonly Omit<Known, 'document'>[] }[];
}

/** Lists what this node knows of somebody's storages. */
export async function showMine(storages: readonly string[], edit: Action, withdraw: Action): Promise<void> {
  const rows: HTMLElement[] = [];
  for (const storage of storages) {
    const path = `/why?${new URLSearchParams({ document: storage })}`;
    // The node may know nothing of this storage.
    const { documents } = await askOwnNode<Container>(path).catch((): Container => ({ documents: [] }));
    for (const { document, descriptions } of documents)
      rows.push(...descriptions.map((one) => rowOf({ ...one, document }, edit, withdraw)));
  }
  byId('mine').hidden = rows.length === 0;
  byId('mine-rows').replaceChildren(...rows);
}

function rowOf(known: Known, edit: Action, withdraw: Action): HTMLElement {
  const name = [known.label, known.version].filter(Boolean).join(' ');
  const button = (words: string, act: () => void) => {
    const made = element('button', { type: 'button', class: 'second', 'aria-description': name }, words);
    made.addEventListener('click', act);
    return made;
  };
  // What cannot be taken back is asked for once more.
  const removal = () => confirm(`Withdraw ${name}?`) && withdraw(known);
  const about = [element('strong', {}, name), element('small', {}, known.document)];
  const buttons = [button('Edit', () => edit(known)), button('Withdraw', removal)];
  return element('li', {}, ...about, ...buttons);
}
